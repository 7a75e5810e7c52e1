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
import { ABORT } from '../../core/api/call-options.js';
import type { AbortSignalLike } from '../../core/time/abort.js';
import type { Lock } from '../../core/api/lock.js';
import { EMIT } from '../../redlock.tokens.js';
import { assertHeld } from './assert-held.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import { onlyValue } from './join-locked.js';
import { onLost } from './on-lost.js';
import { replyOf } from '../reply/reply.js';
import { isLocked, lockFor, runLocked, skipped } from './run-locked.js';
import type { LockedRun } from './locker.js';

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
    return () => stream.leave();
  });
}

/** One subscription, which observes what runs under the lock. There is one for every request, so it makes as few objects as possible. */
class LockedStream<T> implements Observer<T> {
  readonly #cancellation: WaitCancellation;
  #entered = false;
  #over = false;
  #abandoned = false;
  #resources: readonly string[] = [];
  #failure: { readonly error: unknown } | undefined;
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
    const both = [plan.options.signal, signal];
    this.#cancellation = new WaitCancellation(both.some(Boolean) ? { client, signals: both } : { client });
  }

  begin(): void {
    const { locker, plan } = this.run;
    if (plan.joins) return this.#join();
    try {
      this.#resources = this.run.resources();
      const call = { shared: plan.options, [ABORT]: this.#cancellation };
      lockFor(locker, { resources: this.#resources, work: (lock) => this.#hold(lock), call }).then(
        () => this.#complete(),
        (error) => this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  leave(): void {
    if (this.#over) return;
    this.#abandoned = true;
    this.#cancellation.leave();
    this.complete();
    this.#stop();
  }

  next(value: T): void {
    this.subscriber.next(value);
  }

  error(error: unknown): void {
    const letGo = this.#pass();
    if (!letGo) return;
    this.#failure = { error };
    letGo.reject(error);
  }

  complete(): void {
    this.#pass()?.resolve(this.#abandoned ? this.run.onAbandoned?.() : undefined);
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
    run.locker[EMIT]?.({ type: 'skipped', resources: this.#resources });
    if (run.toReply) subscriber.next(undefined);
    subscriber.complete();
  }

  /** Shares one outcome with all calls that join; all of them get it once it is there. */
  #join(): void {
    const { run, subscriber, open } = this;
    const work = async (lock: Lock | undefined, abandoned?: AbortSignalLike): Promise<T[]> =>
      abandoned?.aborted ? [] : onlyValue(new Observable((all) => open(lock).subscribe(all)), lock?.signal, run.plan);
    runLocked({ ...run, signal: this.#cancellation.signal }, work).then(
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
    this.#cancellation.end();
  }

  /** Passes the stream on until it ends in whatever way. The lock is released only when the returned promise has settled. */
  #hold(lock: Lock | undefined): Promise<unknown> {
    assertHeld(lock);
    this.#entered = true;
    this.#cancellation.end();
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
    this.error(replyOf(this.run, error));
    this.#stop();
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
