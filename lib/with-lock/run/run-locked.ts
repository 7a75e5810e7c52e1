import { asOptions, ABORT, type CallOptions } from '../../core/api/call-options.js';
import type { AbortSignalLike } from '../../core/time/abort.js';
import type { RedlockErrorCode } from '../../core/api/errors.js';
import type { Lock } from '../../core/api/lock.js';
import { LOCK_FOR, TELL } from '../../redlock.tokens.js';
import { assertHeld } from './assert-held.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import { joinLocked } from './join-locked.js';
import type { LockedRun, Locker } from './locker.js';
import { replyOf } from '../reply/reply.js';

/** In place of a result, where the work did not run. */
export const skipped = Symbol('skipped');

/** Is told where it may be that nobody is left who waits for it. */
type Work<T> = (lock: Lock | undefined, left?: AbortSignalLike) => T | Promise<T>;

/** Runs `work` under the lock, or shares what comes of it; `skipped` where the plan skips and somebody else holds it. */
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
      run.locker[TELL]?.({ type: 'skipped', resources });
      return skipped;
    }
    throw replyOf(run, error);
  }
}

/** Work whose errors can be told from those of the lock around it. */
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

/** What one call asks a locker for. */
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

/** Makes a signal only for a locker that is a double. */
export function lockFor<T>(locker: Locker, { resources, work, call }: Request<T>): Promise<T> {
  if (locker[LOCK_FOR]) return locker[LOCK_FOR](resources, work, call);
  return locker.withLock(resources, work, asOptions(call));
}

/** By its code, which also works across two copies of this package. */
export function isLocked(error: unknown): boolean {
  return (error as { code?: RedlockErrorCode } | null)?.code === 'RESOURCE_LOCKED';
}
