import { defer, finalize, isObservable, tap, type Observable } from 'rxjs';
import { isThenable } from '../../core/lease/thenable.js';

/**
 * What the method of one call does under the lock, as far as it can be seen: its promise, and the subscriptions to its Observable. The answer may
 * be on its way before, because an interceptor may give up on the method, but that stops no promise.
 */
export abstract class MethodWork {
  /** 'abandoned' is the call to which nobody listens any more, 'over' the one whose answer has ended. */
  #state: 'open' | 'abandoned' | 'over' = 'open';
  #hasBegun = false;
  #isStream = false;
  /** How many promises and subscriptions are under way. */
  #running = 0;
  #settled: (() => void) | undefined;
  #stop: (() => void) | undefined;

  get state(): 'open' | 'abandoned' | 'over' {
    return this.#state;
  }

  /** True when the method has done its work, as far as it has begun it. */
  get isSettled(): boolean {
    return this.#hasBegun && this.#running === 0;
  }

  /** Called before a subscription. @throws what its subscriber gets if the lock is held no longer */
  protected abstract assertUnderLock(isInTime: boolean): void;

  /**
   * Invokes the method and returns its result. In place of a thenable it returns a promise: some of them run again with each `then()`.
   * @throws what the method throws
   */
  protected watch<A>(invoke: (argument: A) => unknown, argument: A): unknown {
    this.#hasBegun = true;
    this.#running += 1;
    let result: unknown;
    try {
      result = invoke(argument);
    } catch (error) {
      this.#settle();
      throw error;
    }
    return isThenable(result) ? this.#watchPromise(Promise.resolve(result)) : this.#returned(result);
  }

  /** Notes that the answer has ended. Returns a promise that resolves when the method has settled; undefined where nothing of it runs. */
  end(): Promise<void> | undefined {
    if (this.#state === 'open') this.#state = 'over';
    if (this.#running === 0) return undefined;
    return new Promise((resolve) => (this.#settled = resolve));
  }

  /**
   * Notes that nobody listens any more. Returns true where the method may still do something, or what is around it, that unsubscribing would not
   * end; `stop` is called if that turns out to be a stream.
   */
  abandon(stop: () => void): boolean {
    this.#state = 'abandoned';
    this.#stop = stop;
    return this.#hasBegun && !this.#isStream;
  }

  #watchPromise(promise: Promise<unknown>): Promise<unknown> {
    // This promise stands in the place of the first one, so that it adds no rejection that nobody handles.
    return promise.then(
      (value) => this.#returned(value),
      (error) => {
        this.#settle();
        throw error;
      },
    );
  }

  #returned(value: unknown): unknown {
    this.#settle();
    return isObservable(value) ? this.#watchStream(value) : value;
  }

  #watchStream(stream: Observable<unknown>): Observable<unknown> {
    this.#isStream = true;
    this.#stop?.();
    return defer(() => {
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
