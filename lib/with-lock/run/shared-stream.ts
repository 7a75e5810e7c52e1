import { Observable } from 'rxjs';
import type { Lock } from '../../engine/lock.js';
import { skipped, type LockedRun } from './run-alone.js';
import { workOf, type MethodWork, type Open } from './method-work.js';
import { onlyValue, runOrJoin, type Sharing } from './run-or-join.js';

/** What a stream needs to run once for all calls that join. */
interface SharedStream<T> extends LockedRun {
  readonly open: Open<T>;
  readonly isStream: true;
}

/** Runs the stream once for all calls that join: resolves with its one value, or with none, once it has completed. */
export async function shareStream<T>(stream: SharedStream<T>): Promise<readonly T[]> {
  const result = await runOrJoin<readonly T[]>(stream, (lock, sharing) =>
    sharing?.abandoned?.aborted ? [] : outcomeOf(stream, lock, sharing),
  );
  return result === skipped ? [] : result;
}

function outcomeOf<T>(
  { open, plan }: SharedStream<T>,
  lock: Lock | undefined,
  sharing: Sharing<readonly T[]> | undefined,
): Promise<readonly T[]> {
  let work: MethodWork | undefined;
  const source = new Observable<T>((all) => {
    const opened = open(lock);
    work = workOf(opened);
    return opened.subscribe(all);
  });
  // A test double of a lock may have no signal.
  const lost: AbortSignal | undefined = lock?.signal;
  const end = (): Promise<void> | undefined => (lost?.aborted ? undefined : work?.end());
  return untilSettled(onlyValue(source, lost, plan), end, sharing);
}

/** Tells an outcome at once that comes before the method has settled, and keeps the lock until then. */
async function untilSettled<T>(
  outcome: Promise<T>,
  end: () => Promise<void> | undefined,
  sharing: Sharing<T> | undefined,
): Promise<T> {
  try {
    return await outcome;
  } finally {
    const rest = end();
    if (rest) {
      sharing?.tell(outcome);
      await rest;
    }
  }
}
