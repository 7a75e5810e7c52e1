import { Observable, Subject, takeUntil, type Subscriber } from 'rxjs';
import type { Lock } from '../core/lock.js';
import { Departure } from './departure.js';
import { onlyValue } from './join-locked.js';
import { replyOf } from './reply.js';
import { runLocked, skipped, type LockedRun } from './run-locked.js';

type Open<T> = (lock: Lock | undefined) => Observable<T>;

export interface StreamRun extends LockedRun {
  /** Told that nobody listens any more; what goes on all the same is waited for before the lock goes. */
  readonly left?: (() => Promise<unknown> | undefined) | undefined;
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
  #over = false;
  #left = false;

  constructor(
    private readonly run: StreamRun,
    private readonly open: Open<T>,
    private readonly subscriber: Subscriber<T | undefined>,
  ) {
    this.#departure = new Departure(run.client, run.signal);
  }

  begin(): void {
    const { run, subscriber } = this;
    const work = (lock: Lock | undefined, left?: AbortSignal): Promise<readonly T[]> =>
      run.plan.joins ? this.#share(lock, left) : this.#hold(lock);
    runLocked({ ...run, signal: this.#departure.signal }, work).then(
      (result) => {
        this.#finish();
        if (result !== skipped) for (const value of result) subscriber.next(value);
        else if (run.toReply) subscriber.next(undefined);
        subscriber.complete();
      },
      (error) => {
        this.#finish();
        subscriber.error(error);
      },
    );
  }

  leave(): void {
    if (this.#over) return;
    this.#left = true;
    this.#departure.leave();
    this.#end.next();
  }

  #finish(): void {
    this.#over = true;
    this.#departure.end();
  }

  /** For all who joined, as long as anybody is there when the lock comes. */
  async #share(lock: Lock | undefined, left: AbortSignal | undefined): Promise<readonly T[]> {
    return left?.aborted ? [] : onlyValue(this.open(lock), lock?.signal, this.run.plan);
  }

  /** Passes the stream on until it ends in whatever way, and leaves nothing of it; only then may the lock go. */
  #hold(lock: Lock | undefined): Promise<never[]> {
    this.#departure.end();
    return new Promise((resolve, reject) => {
      if (this.#left) return resolve([]);
      const lost = lock?.signal;
      const lose = (): void => this.#end.error(replyOf(this.run, lost?.reason));
      lost?.addEventListener('abort', lose);
      const stream = this.open(lock).pipe(takeUntil(this.#end));
      if (lost?.aborted) return reject(replyOf(this.run, lost.reason));
      const done = (): void => lost?.removeEventListener('abort', lose);
      stream.subscribe({
        next: (value) => this.subscriber.next(value),
        error: (error) => {
          done();
          reject(error);
        },
        complete: () => {
          done();
          const rest = this.#left ? this.run.left?.() : undefined;
          resolve(rest ? rest.then(() => []) : []);
        },
      });
    });
  }
}
