import { defaultIfEmpty, lastValueFrom, map, Observable, takeUntil } from 'rxjs';
import type { Lock } from '../../engine/lock.js';
import type { AbortSignalLike } from '../../engine/abort.js';
import { EMIT, HOLDS } from '../../redlock.tokens.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import type { LockPlan } from './lock-plan.js';
import { exceptionFor, runAlone, type LockedRun, type skipped } from './run-alone.js';
import type { SharedRuns } from './shared-runs.js';
import { mistake } from '../../engine/codes.js';

/** What joins the work of one call to the others that share its outcome. */
export interface Sharing<T> {
  /** Aborts when no caller waits for the lock any more. */
  readonly abandoned: AbortSignalLike | undefined;
  /** Gives the outcome to all of them at once. The lock is kept until the work returns. */
  readonly tell: (outcome: Promise<T>) => void;
}

/** The work under a lock; it gets a `Sharing` if calls may join. */
type LockedWork<T> = (lock: Lock | undefined, sharing?: Sharing<T>) => T | Promise<T>;

/** Runs `work` under the lock, or shares the outcome of an equal call; returns `skipped` if the plan skips and somebody else holds the lock. */
export function runOrJoin<T>(run: LockedRun, work: LockedWork<T>): Promise<T | typeof skipped> {
  const { sharedRuns } = run.plan;
  return sharedRuns ? joinLocked(run, sharedRuns, work) : runAlone(run, work);
}

/** An error of the lock on its way to all calls that share it. Each of them makes the exception of its own handler from it. */
class SharedLockError {
  constructor(readonly error: unknown) {}
}

/** Returns the outcome of the equal call that is under way; if there is none, runs `work` and shares its outcome. */
async function joinLocked<T>(run: LockedRun, runs: SharedRuns, work: LockedWork<T>): Promise<T | typeof skipped> {
  const { service, owner, signal, plan, isStream = false } = run;
  const toException = (error: unknown): unknown => new SharedLockError(error);
  try {
    const resources = resourcesOf(run);
    const isHolder = service[HOLDS]?.(resources) ?? false;
    const joined = (): void => service[EMIT]?.({ type: 'joined', resources, label: plan.options.label });
    return await runs.share({ service, owner, resources, isStream, isHolder, signal, joined }, (abandoned, within) =>
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

/**
 * Resolves with the one value of a stream, or with none; rejects if the lock is lost before the stream completes.
 * @throws TypeError if the stream gives a second value
 */
export function onlyValue<T>(stream: Observable<T>, lost: AbortSignal | undefined, { where }: LockPlan): Promise<T[]> {
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
