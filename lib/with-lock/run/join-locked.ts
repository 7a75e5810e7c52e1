import { defaultIfEmpty, lastValueFrom, map, Observable, takeUntil } from 'rxjs';
import { HOLDS, EMIT } from '../../redlock.tokens.js';
import { WaitCancellation } from '../transport/wait-cancellation.js';
import type { Joins, Lead } from './shared-runs.js';
import type { LockPlan } from './lock-plan.js';
import { replyOf } from '../reply/reply.js';
import type { LockedRun } from './locker.js';

/** An error of the lock on its way to all calls that share it. Each of them turns it into the reply of its own handler. */
class LockTrouble {
  constructor(readonly error: unknown) {}
}

/** Returns the outcome of the equal call that is under way; if there is none, runs `lead` and shares its outcome. */
export async function joinLocked<T>(
  run: LockedRun,
  joins: Joins,
  lead: (run: LockedRun, within: Parameters<Lead<T>>[1]) => Promise<T>,
): Promise<T> {
  const { locker, owner } = run;
  const signal = run.signal instanceof WaitCancellation ? run.signal.signal : run.signal;
  const resources = resourcesOf(run);
  const isHolder = locker[HOLDS]?.(resources) ?? false;
  const joined = (): void => locker[EMIT]?.({ type: 'joined', resources });
  try {
    return await joins.share({ locker, owner, resources, isHolder, signal, joined }, (abandoned, within) =>
      lead(
        { ...run, resources: () => resources, signal: abandoned, toReply: (error) => new LockTrouble(error) },
        within,
      ),
    );
  } catch (error) {
    throw error instanceof LockTrouble ? replyOf(run, error.error) : error;
  }
}

/**
 * Resolves with the one value of a stream, or with none; rejects if the lock is lost before the stream completes.
 * @throws TypeError where the stream gives a second value
 */
export function onlyValue<T>(stream: Observable<T>, lost: AbortSignal | undefined, { where }: LockPlan): Promise<T[]> {
  const guarded = lost ? stream.pipe(takeUntil(losing(lost))) : stream;
  const values = guarded.pipe(
    map((value, index) => {
      if (index === 0) return [value];
      throw new TypeError(
        `${where}: onContended 'join' shares one outcome, and this stream gives a second value; use toArray(), or another mode`,
      );
    }),
  );
  return lastValueFrom(values.pipe(defaultIfEmpty<T[], T[]>([])));
}

function losing(lost: AbortSignal): Observable<never> {
  return new Observable((subscriber) => {
    const lose = (): void => subscriber.error(new LockTrouble(lost.reason));
    lost.addEventListener('abort', lose);
    if (lost.aborted) lose();
    return () => lost.removeEventListener('abort', lose);
  });
}

function resourcesOf(run: LockedRun): readonly string[] {
  try {
    return run.resources();
  } catch (error) {
    throw replyOf(run, error);
  }
}
