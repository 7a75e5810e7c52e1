import { Logger } from '@nestjs/common';
import {
  isObservable,
  Observable,
  Subject,
  takeUntil,
  type Observer,
  type Subscribable,
  type Subscriber,
  type Unsubscribable,
} from 'rxjs';
import type { Lock } from '../../core/api/lock.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import { exceptionFor, skipped, type LockedRun } from './locked-run.js';
import { onLost } from './on-lost.js';
import { onlyValue, runLocked } from './run-locked.js';

const logger = new Logger('RedlockService');

/** Opens the stream under its lock. A source that is no Observable gives nothing before `subscribe` has returned. */
type Open<T> = (lock: Lock | undefined) => Subscribable<T>;

export interface StreamRun extends LockedRun {
  /** Called when nobody listens any more. The lock is kept until the returned promise has settled: some work cannot be stopped. */
  readonly onAbandoned?: (() => Promise<unknown> | undefined) | undefined;
}

/** Releases the lock: at once, or when the promise that is passed has settled. */
interface LetGo {
  readonly resolve: (rest: Promise<unknown> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Holds the lock from subscription until the stream completes, fails, is unsubscribed or loses the lock. The stream of a skipped call is empty,
 * but a handler gives one undefined, because it has to answer something.
 */
export function streamLocked<T>(run: StreamRun, open: Open<T>): Observable<T | undefined> {
  return new Observable((subscriber) => {
    const stream = new LockedStream(run, open, subscriber);
    stream.begin();
    return () => stream.abandon();
  });
}

/** One subscription, which observes what runs under the lock. There is one for every request, so it makes as few objects as possible. */
class LockedStream<T> implements Observer<T> {
  readonly #cancellation: WaitCancellation;
  #over = false;
  #abandoned = false;
  /** Defined while the stream uses the lock. */
  #letGo: LetGo | undefined;
  #source: Unsubscribable | undefined;
  #cut: Subject<void> | undefined;
  #watchNoLonger: (() => void) | undefined;

  constructor(
    private readonly run: StreamRun,
    private readonly open: Open<T>,
    private readonly subscriber: Subscriber<T | undefined>,
  ) {
    const { client, signal, plan } = run;
    this.#cancellation = new WaitCancellation({ client, signals: [plan.options.signal, signal] });
  }

  begin(): void {
    const { subscriber } = this;
    this.#outcome().then(
      (values) => {
        this.#over = true;
        for (const value of values) subscriber.next(value);
        subscriber.complete();
      },
      (error) => {
        this.#over = true;
        subscriber.error(error);
      },
    );
  }

  abandon(): void {
    if (this.#over) return;
    this.#abandoned = true;
    this.#cancellation.cancel();
    this.complete();
    this.#stop();
  }

  next(value: T): void {
    this.subscriber.next(value);
  }

  error(error: unknown): void {
    this.#pass()?.reject(error);
  }

  complete(): void {
    this.#pass()?.resolve(this.#abandoned ? this.run.onAbandoned?.() : undefined);
  }

  /** Resolves, after the release, with the values that are still to be passed on. */
  async #outcome(): Promise<readonly (T | undefined)[]> {
    const { plan, toException } = this.run;
    const run = { ...this.run, signal: this.#cancellation };
    if (!plan.sharedRuns) {
      const result = await runLocked(run, (lock) => this.#hold(lock));
      return result === skipped && toException ? [undefined] : [];
    }
    // All calls that join get the one value once the stream has completed.
    const result = await runLocked(run, (lock, abandoned) =>
      abandoned?.aborted
        ? []
        : onlyValue(new Observable<T>((all) => this.open(lock).subscribe(all)), lock?.signal, plan),
    );
    return result === skipped ? [] : result;
  }

  /** Passes the stream on until it ends in whatever way. The lock is released only when the returned promise has settled. */
  #hold(lock: Lock | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#abandoned) return resolve(undefined);
      this.#letGo = { resolve, reject };
      try {
        this.#watchNoLonger = lock && onLost(lock, (error) => this.#lose(error));
        this.#follow(this.open(lock));
      } catch (error) {
        this.error(error);
      }
    });
  }

  #lose(error: unknown): void {
    this.error(exceptionFor(this.run, error));
    try {
      this.#stop();
    } catch (failure) {
      // An error of the user's clean-up must not reach the timer that found the loss: it would end the process, and all other waits with it.
      logger.error('A stream lost its lock, and its clean-up (`finalize`) failed', failure);
    }
  }

  #follow(source: Subscribable<T>): void {
    if (!this.#letGo) return;
    if (isObservable(source)) {
      // An Observable may give all that it has before `subscribe` returns a subscription to end.
      this.#cut = new Subject();
      (source as Observable<T>).pipe(takeUntil(this.#cut)).subscribe(this);
    } else {
      this.#source = source.subscribe(this);
    }
  }

  #stop(): void {
    this.#cut?.next();
    this.#source?.unsubscribe();
  }

  /** Returns what releases the lock, at the first call only. */
  #pass(): LetGo | undefined {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    this.#watchNoLonger?.();
    return letGo;
  }
}
