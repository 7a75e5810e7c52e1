import { asOptions, ABORT, type CallOptions } from '../../core/api/call-options.js';
import type { AbortSignalLike } from '../../core/time/abort.js';
import type { RedlockErrorCode } from '../../core/api/errors.js';
import type { Lock } from '../../core/api/lock.js';
import { LOCK_FOR, EMIT } from '../../redlock.tokens.js';
import { assertHeld } from './assert-held.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import { joinLocked } from './join-locked.js';
import type { LockedRun, Locker } from './locker.js';
import { replyOf } from '../reply/reply.js';

/** Takes the place of a result if the work did not run. */
export const skipped = Symbol('skipped');

/** The work under a lock. If calls may join, it also gets `abandoned`, which aborts when no caller waits for the lock any more. */
type Work<T> = (lock: Lock | undefined, abandoned?: AbortSignalLike) => T | Promise<T>;

/** Runs `work` under the lock, or shares the outcome of an equal call; returns `skipped` if the plan skips and somebody else holds the lock. */
export function runLocked<T>(run: LockedRun, work: Work<T>): Promise<T | typeof skipped> {
  const { joins } = run.plan;
  if (!joins) return runAlone(run, work);
  return joinLocked(run, joins, (leading, within) =>
    runAlone(leading, (lock) => within(() => work(lock, leading.signal))),
  );
}

async function runAlone<T>(run: LockedRun, work: Work<T>): Promise<T | typeof skipped> {
  const guarded = new Guarded(work);
  let resources: readonly string[] = [];
  try {
    resources = run.resources();
    return await lockRun(run, { resources, work: (lock) => guarded.run(lock) });
  } catch (error) {
    if (guarded.threw(error)) throw error;
    if (!guarded.entered && run.plan.onContended === 'skip' && isLocked(error)) {
      run.locker[EMIT]?.({ type: 'skipped', resources });
      return skipped;
    }
    throw replyOf(run, error);
  }
}

/** Work whose errors can be distinguished from those of the lock around it. */
class Guarded<T> {
  entered = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly work: Work<T>) {}

  async run(lock: Lock | undefined): Promise<T> {
    assertHeld(lock);
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

/** The request of one call to a locker. */
interface Request<T> {
  readonly resources: readonly string[];
  readonly work: (lock: Lock | undefined) => Promise<T>;
  readonly call: CallOptions;
}

function lockRun<T>({ locker, plan, signal }: LockedRun, { resources, work }: Omit<Request<T>, 'call'>): Promise<T> {
  const { options } = plan;
  if (signal instanceof WaitCancellation)
    return lockFor(locker, { resources, work, call: { shared: options, [ABORT]: signal } });
  if (!signal) return locker.withLock(resources, work, options);
  const either = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
  return locker.withLock(resources, work, { ...options, signal: either });
}

/** Takes a lock for one call; makes an `AbortSignal` only if the locker is a test double. */
export function lockFor<T>(locker: Locker, { resources, work, call }: Request<T>): Promise<T> {
  if (locker[LOCK_FOR]) return locker[LOCK_FOR](resources, work, call);
  return locker.withLock(resources, work, asOptions(call));
}

/** Recognises the error by its code, which also works across two copies of this package. */
export function isLocked(error: unknown): boolean {
  return (error as { code?: RedlockErrorCode } | null)?.code === 'RESOURCE_LOCKED';
}
