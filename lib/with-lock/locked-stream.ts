import { Observable, Subject, takeUntil, type Subscriber } from 'rxjs';
import { CallOptions, type Quit } from '../core/call-options.js';
import type { Lock } from '../core/lock.js';
import { TELL } from '../redlock.tokens.js';
import { Departure } from './departure.js';
import { onlyValue } from './join-locked.js';
import { replyOf } from './reply.js';
import { isLocked, runLocked, skipped, type LockedRun } from './run-locked.js';

type Open<T> = (lock: Lock | undefined) => Observable<T>;

export interface StreamRun extends LockedRun {
  /** Told that nobody listens any more; what goes on all the same is waited for before the lock goes. */
  readonly left?: (() => Promise<unknown> | undefined) | undefined;
}

interface Ends {
  readonly fail: (error: unknown) => void;
  readonly end: (rest: Promise<unknown> | undefined) => void;
}

/** A lock that can tell of its loss without a signal. */
interface Telling {
  onLost?(tell: (error: unknown) => void): () => void;
}

/**
 * Holds the lock from subscription until the stream completes, fails, is unsubscribed or loses the lock. A
 * handler that is skipped gives one undefined, since it has to answer something; any other stream is empty then.
 */
export function streamLocked<T>(run: StreamRun, open: Open<T>): Observable<T | undefined> {
  return new Observable((subscriber) => {
    const stream = new LockedStream(run, open, subscriber);
    stream.begin();
    return () => stream.leave();
  });
}

/** One subscription. */
class LockedStream<T> {
  readonly #departure: Departure;
  readonly #end = new Subject<void>();
  #entered = false;
  #over = false;
  #left = false;
  #resources: readonly string[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly run: StreamRun,
    private readonly open: Open<T>,
    private readonly subscriber: Subscriber<T | undefined>,
  ) {
    const { client, signal, plan } = run;
    this.#departure = new Departure({ client, signals: [plan.options.signal, signal] });
  }

  begin(): void {
    const { locker, plan } = this.run;
    if (plan.joins) return this.#join();
    const options = new CallOptions(plan.options, this.#departure);
    try {
      this.#resources = this.run.resources();
      locker
        .withLock(this.#resources, (lock) => this.#hold(lock), options)
        .then(
          () => this.#complete(),
          (error) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  leave(): void {
    if (this.#over) return;
    this.#left = true;
    this.#departure.leave();
    this.#end.next();
  }

  #complete(): void {
    this.#finish();
    this.subscriber.complete();
  }

  #fail(error: unknown): void {
    this.#finish();
    const { run, subscriber } = this;
    if (this.#failure?.error === error) return subscriber.error(error);
    if (this.#entered || run.plan.onContended !== 'skip' || !isLocked(error))
      return subscriber.error(replyOf(run, error));
    run.locker[TELL]?.({ type: 'skipped', resources: this.#resources });
    if (run.toReply) subscriber.next(undefined);
    subscriber.complete();
  }

  /** Shares one outcome with all who join, which all are told when it is there. */
  #join(): void {
    const { run, subscriber, open } = this;
    const work = async (lock: Lock | undefined, left?: Quit): Promise<T[]> =>
      left?.aborted ? [] : onlyValue(open(lock), lock?.signal, run.plan);
    runLocked({ ...run, signal: this.#departure.signal }, work).then(
      (result) => {
        if (result !== skipped) for (const value of result) subscriber.next(value);
        this.#complete();
      },
      (error) => {
        this.#finish();
        subscriber.error(error);
      },
    );
  }

  #finish(): void {
    this.#over = true;
    this.#departure.end();
  }

  /** Passes the stream on until it ends in whatever way; only then may the lock go. */
  #hold(lock: Lock | undefined): Promise<unknown> {
    this.#entered = true;
    this.#departure.end();
    return new Promise((resolve, reject) => {
      if (this.#left) return resolve(undefined);
      const fail = (error: unknown): void => {
        this.#failure = { error };
        reject(error);
      };
      try {
        this.#pass(lock, { fail, end: resolve });
      } catch (error) {
        fail(error);
      }
    });
  }

  #pass(lock: Lock | undefined, { fail, end }: Ends): void {
    const stop = lock && onLost(lock, (error) => this.#end.error(replyOf(this.run, error)));
    this.open(lock)
      .pipe(takeUntil(this.#end))
      .subscribe({
        next: (value) => this.subscriber.next(value),
        error: (error) => {
          stop?.();
          fail(error);
        },
        complete: () => {
          stop?.();
          end(this.#left ? this.run.left?.() : undefined);
        },
      });
  }
}

function onLost(lock: Lock & Telling, tell: (error: unknown) => void): (() => void) | undefined {
  if (lock.onLost) return lock.onLost(tell);
  // A double that a test gives may have none.
  const signal = lock.signal as AbortSignal | undefined;
  const listener = (): void => tell(signal?.reason);
  signal?.addEventListener('abort', listener);
  if (signal?.aborted) listener();
  return () => signal?.removeEventListener('abort', listener);
}
