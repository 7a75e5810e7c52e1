import { LockLostError, type RedlockErrorCode } from '../../engine/errors.js';
import type { Lock } from '../../engine/lock.js';
import type { AbortSignalLike } from '../../engine/abort.js';
import { EMIT } from '../../redlock.tokens.js';
import { type Client, WaitCancellation } from '../transport/wait-cancellation.js';
import type { KeptLock } from './kept-lock.js';
import type { LockPlan } from './lock-plan.js';
import { type LockService, withLockOf } from './lock-service.js';

/** One call of a method, which runs under a lock. */
export interface LockedRun {
  readonly service: LockService;
  readonly plan: LockPlan;
  /** The class to which the method belongs: other classes may have inherited the same method. */
  readonly owner?: unknown;
  /** @see SharingCall.isStream */
  readonly isStream?: boolean;
  /** Names the resources; may throw a `LockKeyError`. */
  readonly resources: () => readonly string[];
  /** Turns an error of the lock into what the caller is to see, and never throws. Errors of the work pass untouched. */
  readonly toException?: ((error: unknown) => unknown) | undefined;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignalLike | undefined;
  /** The client: the wait for the lock also ends when it goes away. */
  readonly client?: Client | undefined;
  /** A lock that is held already, for the first to ask. */
  readonly kept?: KeptLock | undefined;
}

/** Takes the place of a result if the work did not run. */
export const skipped = Symbol('skipped');

/** Runs `work` under the lock of one call; returns `skipped` if the plan skips and somebody else holds the lock. */
export async function runAlone<T>(
  run: LockedRun,
  work: (lock: Lock | undefined) => T | Promise<T>,
): Promise<T | typeof skipped> {
  const { service, plan } = run;
  const guarded = new GuardedWork(work, cancellationOf(run));
  let resources: readonly string[] = [];
  try {
    resources = run.resources();
    const { options, onContended } = plan;
    const guardedWork = (lock: Lock | undefined): Promise<T> => guarded.run(lock);
    const { cancellation: signal } = guarded;
    const skips = onContended === 'skip';
    const call = { resources, options, work: guardedWork, signal, skips };
    return await (run.kept?.take(guardedWork) ?? withLockOf(service, call));
  } catch (error) {
    if (guarded.threw(error)) throw error;
    if (guarded.hasBegun || plan.onContended !== 'skip' || !isLocked(error)) throw exceptionFor(run, error);
    service[EMIT]?.({ type: 'skipped', resources, label: plan.options.label });
    return skipped;
  } finally {
    guarded.cancellation?.end();
  }
}

/** Returns what the caller sees of an error of the lock. */
export function exceptionFor({ toException }: Pick<LockedRun, 'toException'>, error: unknown): unknown {
  return toException ? toException(error) : error;
}

/**
 * Checks that the lock is still held right before the work begins, because what ran in between may have taken long. A test
 * double may lack any property.
 * @throws LockLostError
 */
export function assertHeld(lock: Partial<Lock> | undefined): void {
  if (lock?.isValid !== false) return;
  lock.assertValid?.();
  throw new LockLostError(lock.resources ?? [], 'pause', 'it was over before the work under it began');
}

/** Work whose errors can be distinguished from those of the lock around it. */
class GuardedWork<T> {
  hasBegun = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly work: (lock: Lock | undefined) => T | Promise<T>,
    /** Ends the wait for the lock, which is over once the work begins. */
    readonly cancellation: WaitCancellation | undefined,
  ) {}

  async run(lock: Lock | undefined): Promise<T> {
    assertHeld(lock);
    this.hasBegun = true;
    this.cancellation?.end();
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

function cancellationOf({ plan, signal }: LockedRun): WaitCancellation | undefined {
  if (!signal || signal instanceof WaitCancellation) return signal;
  return new WaitCancellation({ signals: [plan.options.signal, signal] });
}

/** Recognises the error by its code, which also works across two copies of this package. */
function isLocked(error: unknown): boolean {
  return (error as { code?: RedlockErrorCode } | null)?.code === 'RESOURCE_LOCKED';
}
