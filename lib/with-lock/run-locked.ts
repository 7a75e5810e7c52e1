import { mergeMap, Observable, takeUntil, throwError } from 'rxjs';
import type { RedlockErrorCode } from '../core/errors.js';
import type { LockEvent } from '../core/events.js';
import type { Lock } from '../core/lock.js';
import type { LockOptions } from '../core/options.js';
import { TELL } from '../redlock.tokens.js';
import type { LockPlan } from './lock-plan.js';

/** What a lock is taken from: a `RedlockService`, or what a test puts in its place, which may give no lock. */
export interface Locker {
  withLock<T>(
    resource: readonly string[],
    work: (lock: Lock | undefined) => Promise<T>,
    options?: LockOptions,
  ): Promise<T>;
  /** Takes what happens to calls, where anybody wants to know. */
  [TELL]?(event: LockEvent): void;
}

export interface LockedRun {
  readonly locker: Locker;
  readonly plan: LockPlan;
  /** Names the resources; may throw a `LockKeyError`. */
  readonly resources: () => readonly string[];
  /** Turns an error of the lock into what the caller is to see. Errors of the work pass untouched. */
  readonly toReply?: ((error: unknown) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** In place of a result, where the work did not run. */
export const skipped = Symbol('skipped');

/** Runs `work` under the lock; `skipped` where the plan skips and somebody else holds it. */
export async function runLocked<T>(
  run: LockedRun,
  work: (lock: Lock | undefined) => T | Promise<T>,
): Promise<T | typeof skipped> {
  const guarded = new Guarded(work);
  let resources: readonly string[] = [];
  try {
    resources = run.resources();
    return await run.locker.withLock(resources, (lock) => guarded.run(lock), optionsOf(run));
  } catch (error) {
    if (guarded.threw(error)) throw error;
    if (!guarded.entered && run.plan.onContended === 'skip' && isLocked(error)) {
      run.locker[TELL]?.({ type: 'skipped', resources });
      return skipped;
    }
    throw run.toReply ? run.toReply(error) : error;
  }
}

/** Work whose errors can be told from those of the lock around it. */
class Guarded<T> {
  entered = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly work: (lock: Lock | undefined) => T | Promise<T>) {}

  async run(lock: Lock | undefined): Promise<T> {
    this.entered = true;
    try {
      return await this.work(lock);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  threw(error: unknown): boolean {
    return this.#failure !== undefined && this.#failure.error === error;
  }
}

/**
 * Holds the lock from subscription until the stream completes, fails, is unsubscribed or loses the lock. A
 * handler that is skipped gives one undefined, since it has to answer something; any other stream is empty then.
 */
export function streamLocked<T>(
  run: LockedRun,
  open: (lock: Lock | undefined) => Observable<T>,
): Observable<T | undefined> {
  return new Observable((subscriber) => {
    const gone = new AbortController();
    const leave = (): void => gone.abort(run.signal?.reason);
    run.signal?.addEventListener('abort', leave);
    if (run.signal?.aborted) leave();
    const pass = (lock: Lock | undefined): Promise<void> =>
      drain(until(open(lock), lock?.signal, gone.signal), subscriber);
    runLocked({ ...run, signal: gone.signal }, pass).then(
      (result) => {
        if (result === skipped && run.toReply) subscriber.next(undefined);
        subscriber.complete();
      },
      (error) => subscriber.error(error),
    );
    return () => {
      run.signal?.removeEventListener('abort', leave);
      leave();
    };
  });
}

/** The stream, failing once the lock is lost and ending once nobody listens. */
function until<T>(stream: Observable<T>, lost: AbortSignal | undefined, gone: AbortSignal): Observable<T> {
  const guarded = lost ? stream.pipe(takeUntil(failing(lost))) : stream;
  return guarded.pipe(takeUntil(aborted(gone)));
}

function failing(signal: AbortSignal): Observable<never> {
  return aborted(signal).pipe(mergeMap(() => throwError(() => signal.reason as unknown)));
}

function aborted(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const tell = (): void => subscriber.next();
    signal.addEventListener('abort', tell);
    if (signal.aborted) tell();
    return () => signal.removeEventListener('abort', tell);
  });
}

/** Passes a stream on until it ends in whatever way; only then may the lock go. */
function drain<T>(stream: Observable<T>, to: { next(value: T): void }): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.subscribe({ next: (value) => to.next(value), error: reject, complete: resolve });
  });
}

function optionsOf({ plan, signal }: LockedRun): LockOptions {
  if (!signal) return plan.options;
  return { ...plan.options, signal: plan.options.signal ? AbortSignal.any([plan.options.signal, signal]) : signal };
}

/** By its code, which also works across two copies of this package. */
function isLocked(error: unknown): boolean {
  return (error as { code?: RedlockErrorCode } | null)?.code === 'RESOURCE_LOCKED';
}
