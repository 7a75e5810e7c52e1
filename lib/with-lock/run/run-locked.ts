import type { AbortSignalLike } from '../../engine/abort.js';
import { LockLostError, type RedlockErrorCode } from '../../engine/errors.js';
import type { LockEvent } from '../../engine/events.js';
import type { Lock } from '../../engine/lock.js';
import type { LockOptions } from '../../engine/options.js';
import type { PreparedCall } from '../../engine/redlock.js';
import { EMIT, HOLDS, WITH_PREPARED } from '../../redlock.tokens.js';
import type { ExceptionFactory } from '../reply/exceptions.js';
import { type Client, WaitCancellation } from '../transport/wait-cancellation.js';
import type { LockPlan } from './lock-plan.js';
import type { SharedRuns } from './shared-runs.js';

type AsyncWork<T> = (lock: Lock | undefined) => Promise<T>;

/** A `RedlockService`, or a test double, which may have only `withLock` and may give the work no lock. */
export interface LockService {
  withLock<T>(resource: readonly string[], work: AsyncWork<T>, options?: LockOptions): Promise<T>;
  /** Does the same for calls that share their options; undefined if `withLock` is not that of a real service. */
  readonly [WITH_PREPARED]?: (<T>(call: PreparedCall<T>) => Promise<T>) | undefined;
  [EMIT]?(event: LockEvent): void;
  [HOLDS]?(resources: readonly string[]): boolean;
  readonly exceptionFactory?: ExceptionFactory | undefined;
}

/** One call of a method, which runs under a lock. */
export interface LockedRun {
  readonly service: LockService;
  readonly plan: LockPlan;
  /** The class to which the method belongs: other classes may have inherited the same method. */
  readonly owner?: unknown;
  /** True if the outcome is the values of a stream. */
  readonly isStream?: boolean;
  /** Names the resources; may throw a `LockKeyError`. */
  readonly resources: () => readonly string[];
  /** Turns an error of the lock into what the caller is to see, and never throws. Errors of the work pass untouched. */
  readonly toException?: ((error: unknown) => unknown) | undefined;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignalLike | undefined;
  /** The client: the wait for the lock also ends when it goes away. */
  readonly client?: Client | undefined;
  /** Runs work under a lock that is held already; returns undefined if that lock is not free any more. */
  readonly kept?: (<T>(work: AsyncWork<T>) => Promise<T> | undefined) | undefined;
}

type LockedWork<T> = PreparedCall<T> & { work: AsyncWork<T>; signal: WaitCancellation | undefined };

/** What joins the work of one call to the others that share its outcome. */
export interface Sharing<T> {
  /** Aborts when no caller waits for the lock any more. */
  readonly abandoned: AbortSignalLike | undefined;
  /** Gives the outcome to all of them at once. The lock is kept until the work returns. */
  readonly tell: (outcome: Promise<T>) => void;
}

/** Takes the place of a result if the work did not run. */
export const skipped = Symbol('skipped');

/** Runs `work` under the lock, or shares the outcome of an equal call; returns `skipped` if the plan skips and somebody else holds the lock. */
export function runLocked<T>(
  run: LockedRun,
  work: (lock: Lock | undefined, sharing?: Sharing<T>) => T | Promise<T>,
): Promise<T | typeof skipped> {
  const { sharedRuns } = run.plan;
  return sharedRuns ? joinLocked(run, sharedRuns, work) : runAlone(run, work);
}

async function runAlone<T>(
  run: LockedRun,
  work: (lock: Lock | undefined) => T | Promise<T>,
): Promise<T | typeof skipped> {
  const { service, plan } = run;
  const signal = cancellationOf(run);
  const own = { hasBegun: false, hasFailed: false, error: undefined as unknown };
  const guarded = async (lock: Lock | undefined): Promise<T> => {
    assertHeld(lock);
    own.hasBegun = true;
    // The wait for the lock is over.
    signal?.end();
    try {
      return await work(lock);
    } catch (error) {
      Object.assign(own, { hasFailed: true, error });
      throw error;
    }
  };
  const { options, onContended } = plan;
  const skips = onContended === 'skip';
  let resources: readonly string[] = [];
  try {
    resources = run.resources();
    return await (run.kept?.(guarded) ?? withLockOf(service, { resources, options, work: guarded, signal, skips }));
  } catch (error) {
    if (own.hasFailed && own.error === error) throw error;
    if (own.hasBegun || !skips || !isLocked(error)) throw exceptionFor(run, error);
    service[EMIT]?.({ type: 'skipped', resources, label: options.label });
    return skipped;
  } finally {
    signal?.end();
  }
}

/** Runs the work of one call under its lock; makes an `AbortSignal` only if `withLock` is not that of a real service. */
export function withLockOf<T>(service: LockService, call: LockedWork<T>): Promise<T> {
  const prepared = service[WITH_PREPARED];
  if (prepared) return prepared(call);
  const { resources, work, options, signal } = call;
  return service.withLock(resources, work, signal ? { ...options, signal: signal.signal } : options);
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

function cancellationOf({ plan, signal }: LockedRun): WaitCancellation | undefined {
  if (!signal || signal instanceof WaitCancellation) return signal;
  return new WaitCancellation({ signals: [plan.options.signal, signal] });
}

/** Recognises the error by its code, which also works across two copies of this package. */
function isLocked(error: unknown): boolean {
  return (error as { code?: RedlockErrorCode } | null)?.code === 'RESOURCE_LOCKED';
}

/** An error of the lock on its way to all calls that share it. Each of them makes the exception of its own handler from it. */
export class SharedLockError {
  constructor(readonly error: unknown) {}
}

/** Returns the outcome of the equal call that is under way; if there is none, runs `work` and shares its outcome. */
async function joinLocked<T>(
  run: LockedRun,
  runs: SharedRuns,
  work: (lock: Lock | undefined, sharing: Sharing<T>) => T | Promise<T>,
): Promise<T | typeof skipped> {
  const { service, signal, plan } = run;
  const toException = (error: unknown): unknown => new SharedLockError(error);
  try {
    const resources = resourcesOf(run);
    const isHolder = service[HOLDS]?.(resources) ?? false;
    const joined = (): void => service[EMIT]?.({ type: 'joined', resources, label: plan.options.label });
    return await runs.share({ ...run, resources, isHolder, joined }, (abandoned, within) =>
      earliest((tell) =>
        runAlone({ ...run, resources: () => resources, signal: abandoned, toException }, (lock) =>
          within(() => work(lock, { abandoned, tell })),
        ),
      ),
    );
  } catch (error) {
    throw error instanceof SharedLockError ? exceptionFor(run, error.error) : error;
  } finally {
    if (signal instanceof WaitCancellation) signal.end();
  }
}

/** Returns the outcome that the work tells before its end, or what it ends with. */
function earliest<T>(run: (tell: (outcome: T | Promise<T>) => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    run(resolve).then(resolve, reject);
  });
}

/** Returns the resources of a call, before it shares anything. */
function resourcesOf(run: LockedRun): readonly string[] {
  try {
    return run.resources();
  } catch (error) {
    throw exceptionFor(run, error);
  }
}
