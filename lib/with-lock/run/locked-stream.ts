import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import {
  defaultIfEmpty,
  isObservable,
  lastValueFrom,
  map,
  Observable,
  Subject,
  takeUntil,
  type Observer,
  type Subscriber,
  type Unsubscribable,
} from 'rxjs';
import type { Lock } from '../../engine/lock.js';
import { HeldLock } from '../../engine/held-lock.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import { exceptionFor, runLocked, SharedLockError, skipped, type LockedRun } from './run-locked.js';
import { workOf, type LockedSource, type MethodWork, type Open } from './method-work.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { coded, mistake } from '../../engine/codes.js';

const logger = new SafeLogger('RedlockService');
const SETTLED = Promise.resolve();

/** Releases the lock: at once, or when the promise that is passed has settled. */
interface LetGo {
  readonly resolve: (rest: Promise<void> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Holds the lock from subscription until the stream completes, fails, is unsubscribed or loses the lock. The stream of a skipped call is empty,
 * but a handler gives one undefined, because it has to answer something. A method that outlasts its stream keeps the lock until it has settled.
 */
export function streamLocked<T>(run: LockedRun, open: Open<T>): Observable<T | undefined> {
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
  /** True when a value has come since the method settled. */
  #answered = false;
  /** The result of a method that has settled, until it is known whether more follows. */
  #latest: T | undefined;
  #hasLatest = false;
  /** Defined while the stream uses the lock. */
  #letGo: LetGo | undefined;
  #work: MethodWork | undefined;
  #source: Unsubscribable | undefined;
  #cut: Subject<void> | undefined;
  #watchNoLonger: (() => void) | undefined;

  constructor(
    private readonly run: LockedRun,
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
        if (!this.#isFirstEnd()) return;
        for (const value of values) subscriber.next(value);
        this.#passLatest();
        subscriber.complete();
      },
      (error) => {
        this.#dropLatest();
        if (this.#isFirstEnd()) subscriber.error(error);
      },
    );
  }

  abandon(): void {
    if (this.#over) return;
    this.#abandoned = true;
    this.#dropLatest();
    this.#cancellation.cancel();
    // If unsubscribing cannot stop the work, this stream follows the work to its end, and releases the lock then.
    const goesOn = this.#letGo && !this.#answered && this.#work?.abandon(() => this.#leave());
    if (!goesOn) this.#leave();
  }

  next(value: T): void {
    if (this.#work?.isSettled) this.#answered = true;
    if (!this.#abandoned) return this.#pass(value);
    closeDropped(value);
    // A method that is no stream has one value, so what an interceptor makes of it may be endless, but is no work under the lock.
    if (this.#answered) this.#leave();
  }

  /** Passes a value on. The result of a method that has settled waits for the release if nothing follows it: WebSockets and the like send it at once. */
  #pass(value: T): void {
    this.#passLatest();
    if (!this.#work?.isSettled) return this.subscriber.next(value);
    this.#latest = value;
    this.#hasLatest = true;
    // A promise, and what interceptors make of it, completes before this runs.
    void SETTLED.then(() => {
      if (this.#letGo) this.#passLatest();
    });
  }

  #passLatest(): void {
    if (!this.#hasLatest) return;
    this.#hasLatest = false;
    this.subscriber.next(this.#latest);
  }

  #dropLatest(): void {
    if (this.#hasLatest) closeDropped(this.#latest);
    this.#hasLatest = false;
  }

  error(error: unknown): void {
    this.#passLatest();
    const letGo = this.#detach();
    const rest = letGo && this.#work?.end();
    if (!rest) return letGo?.reject(error);
    letGo.resolve(rest);
    if (this.#isFirstEnd()) this.subscriber.error(error);
  }

  complete(): void {
    const letGo = this.#detach();
    const rest = letGo && this.#work?.end();
    letGo?.resolve(rest);
    if (!rest || !this.#isFirstEnd()) return;
    this.#passLatest();
    this.subscriber.complete();
  }

  /** Returns true if the subscriber does not know of the end yet. */
  #isFirstEnd(): boolean {
    const isFirst = !this.#over && !this.#abandoned;
    this.#over = true;
    return isFirst;
  }

  /** Resolves, after the release, with the values of a shared or skipped run: a run of its own passes them on as they come. */
  async #outcome(): Promise<readonly (T | undefined)[]> {
    const run = { ...this.run, signal: this.#cancellation };
    if (run.plan.sharedRuns) return shareStream({ ...run, isStream: true }, this.open);
    const result = await runLocked(run, (lock) => this.#hold(lock));
    return result === skipped && run.toException ? [undefined] : [];
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
    this.#detach()?.reject(exceptionFor(this.run, error));
    try {
      this.#stop();
    } catch (failure) {
      // An error of the user's clean-up must not reach the timer that found the loss: it would end the process, and all other waits with it.
      logger.error(coded('REDLOCK_W12', 'A stream lost its lock, and its clean-up (`finalize`) failed'), failure);
    }
  }

  #follow(source: LockedSource<T>): void {
    if (!this.#letGo) return;
    this.#work = workOf(source);
    if (isObservable(source)) {
      // An Observable may give all that it has before `subscribe` returns a subscription to end.
      this.#cut = new Subject();
      (source as Observable<T>).pipe(takeUntil(this.#cut)).subscribe(this);
    } else {
      this.#source = source.subscribe(this);
    }
  }

  /** Ends the subscription, and releases the lock when nothing of the method runs any more. */
  #leave(): void {
    const letGo = this.#detach();
    try {
      this.#stop();
    } finally {
      letGo?.resolve(this.#work?.end());
    }
  }

  #stop(): void {
    this.#cut?.next();
    this.#source?.unsubscribe();
  }

  /** Returns what releases the lock, at the first call only. */
  #detach(): LetGo | undefined {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    this.#watchNoLonger?.();
    return letGo;
  }
}

/** Calls `notify` when the lock is lost, or now if it is lost already; returns the function that stops that. */
function onLost(lock: Lock, notify: (error: unknown) => void): (() => void) | undefined {
  const held = HeldLock.of(lock);
  // It costs less than a signal, which a test double of a lock may not even have.
  if (held) return held.onLost(notify);
  const signal = lock.signal as AbortSignal | undefined;
  const listener = (): void => notify(signal?.reason);
  signal?.addEventListener('abort', listener);
  if (signal?.aborted) listener();
  return () => signal?.removeEventListener('abort', listener);
}

/** Closes what a value that nobody gets would keep open, such as a file. Nest does so only if it has unsubscribed itself. */
export function closeDropped(value: unknown): void {
  const stream: unknown = value instanceof StreamableFile ? value.getStream() : value;
  if (!(stream instanceof Readable)) return;
  // It may still be about to fail, and an error to which nobody listens would end the process.
  stream.on('error', () => undefined);
  stream.destroy();
}

/** Runs the stream once for all calls that join. Resolves with its one value, or with none, once it has completed. */
async function shareStream<T>(run: LockedRun, open: Open<T>): Promise<readonly T[]> {
  const result = await runLocked<readonly T[]>(run, async (lock, sharing) => {
    if (sharing?.abandoned?.aborted) return [];
    const method: { work?: MethodWork | undefined } = {};
    const source = new Observable<T>((all) => {
      const opened = open(lock);
      method.work = workOf(opened);
      return opened.subscribe(all);
    });
    // A test double of a lock may have no signal.
    const lost: AbortSignal | undefined = lock?.signal;
    const outcome = onlyValue(source, lost, run.plan.where);
    try {
      return await outcome;
    } finally {
      const rest = lost?.aborted ? undefined : method.work?.end();
      // An outcome that comes before the method has settled is passed on at once, and the lock is kept until then.
      if (rest) {
        sharing?.tell(outcome);
        await rest;
      }
    }
  });
  return result === skipped ? [] : result;
}

/**
 * Resolves with the one value of a stream, or with none; rejects if the lock is lost before the stream completes.
 * @throws TypeError if the stream gives a second value
 */
function onlyValue<T>(stream: Observable<T>, lost: AbortSignal | undefined, where: string): Promise<T[]> {
  const guarded = lost ? stream.pipe(takeUntil(losing(lost))) : stream;
  const values = guarded.pipe(
    map((value, index) => {
      if (index === 0) return [value];
      throw mistake(
        'REDLOCK_E08',
        `${where}: onContended 'join' shares one outcome, and this stream gives a second value; use toArray(), or another mode`,
      );
    }),
  );
  return lastValueFrom(values.pipe(defaultIfEmpty<T[], T[]>([])));
}

function losing(lost: AbortSignal): Observable<never> {
  return new Observable((subscriber) => {
    const lose = (): void => subscriber.error(new SharedLockError(lost.reason));
    lost.addEventListener('abort', lose);
    if (lost.aborted) lose();
    return () => lost.removeEventListener('abort', lose);
  });
}
