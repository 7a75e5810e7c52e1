import { defer, finalize, isObservable, tap, type Observable, type Subscribable } from 'rxjs';
import type { Lock } from '../../engine/lock.js';
import { isThenable } from '../../engine/thenable.js';

/** What runs under the lock of a stream. A source that is no Observable gives nothing before `subscribe` has returned. */
export interface LockedSource<T> extends Subscribable<T> {
  /** The method at the end of the source, if it may outlast the source. */
  readonly work?: MethodWork;
}

/** Opens the source under its lock. */
export type Open<T> = (lock: Lock | undefined) => LockedSource<T>;

/** Returns the work of a source; undefined for an Observable, which belongs to the user and ends with its subscription. */
export function workOf(source: LockedSource<unknown>): MethodWork | undefined {
  return isObservable(source) ? undefined : source.work;
}

/**
 * What the method of one call does under the lock, as far as it can be seen: its promise, and the subscriptions to its Observable. The answer may
 * be on its way before, because an interceptor may give up on the method, but that stops no promise.
 */
export abstract class MethodWork {
  /** 'abandoned' is the call to which nobody listens any more, 'over' the one whose answer has ended. */
  #state: 'open' | 'abandoned' | 'over' = 'open';
  #hasBegun = false;
  #isStream = false;
  /** How many promises and subscriptions of the current call are under way. */
  #running = 0;
  /** The call of the method that runs, or that ran last. */
  #current: object | undefined;
  #settled: (() => void) | undefined;
  #stop: (() => void) | undefined;

  get state(): 'open' | 'abandoned' | 'over' {
    return this.#state;
  }

  /** True when the method has done its work, as far as it has begun it. */
  get isSettled(): boolean {
    return this.#hasBegun && this.#running === 0;
  }

  /** True while a call of the method runs. */
  protected get isBusy(): boolean {
    return this.#running > 0;
  }

  /** Called before a subscription. @throws what its subscriber gets if the lock is held no longer */
  protected abstract assertUnderLock(isInTime: boolean): void;

  /** Returns what to subscribe to if another call of the method is still running. */
  protected abstract besides(stream: Observable<unknown>): Observable<unknown>;

  /**
   * Invokes the method and returns its result. In place of a thenable it returns a promise: some of them run again with each `then()`.
   * @throws what the method throws
   */
  protected watch<A>(invoke: (argument: A) => unknown, argument: A): unknown {
    const call = (this.#current = {});
    this.#hasBegun = true;
    this.#running += 1;
    let result: unknown;
    try {
      result = invoke(argument);
    } catch (error) {
      this.#settle();
      throw error;
    }
    return isThenable(result) ? this.#watchPromise(Promise.resolve(result), call) : this.#returned(result, call);
  }

  /** Notes that the answer has ended. Returns a promise that resolves when the method has settled; undefined if nothing of it runs. */
  end(): Promise<void> | undefined {
    if (this.#state === 'open') this.#state = 'over';
    if (this.#running === 0) return undefined;
    return new Promise((resolve) => (this.#settled = resolve));
  }

  /**
   * Notes that nobody listens any more. Returns true if the method, or the code around the method, may still do what unsubscribing does not end.
   * If the result turns out to be a stream, calls `stop`.
   */
  abandon(stop: () => void): boolean {
    this.#state = 'abandoned';
    this.#stop = stop;
    return this.#hasBegun && !this.#isStream;
  }

  #watchPromise(promise: Promise<unknown>, call: object): Promise<unknown> {
    // This promise stands in the place of the first one, so that it adds no rejection that nobody handles.
    return promise.then(
      (value) => this.#returned(value, call),
      (error) => {
        this.#settle();
        throw error;
      },
    );
  }

  #returned(value: unknown, call: object): unknown {
    this.#settle();
    return isObservable(value) ? this.#watchStream(value, call) : value;
  }

  #watchStream(stream: Observable<unknown>, call: object): Observable<unknown> {
    this.#isStream = true;
    this.#stop?.();
    return defer(() => {
      if (this.isBusy && this.#current !== call) return this.besides(stream);
      this.#current = call;
      const end = this.#subscribed();
      // The end is noted before it is passed on, as it decides when the answer may leave.
      return stream.pipe(tap({ error: end, complete: end }), finalize(end));
    });
  }

  /** Returns what ends the subscription. */
  #subscribed(): () => void {
    this.assertUnderLock(this.#state === 'open' || this.#running > 0);
    this.#running += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#settle();
      isOpen = false;
    };
  }

  #settle(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#settled?.();
  }
}
