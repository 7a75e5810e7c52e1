import { eventually } from '../../support/eventually.js';
import type { Rival, RivalLock } from '../library.js';
import type { Stage } from '../stage.js';
import { allOf, finding, type Finding } from './finding.js';

const LONG = 60_000;
const SHORT = 300;

/** Theirs keeps ours out, until they release. */
export async function theirsExcludes(stage: Stage): Promise<Finding> {
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  const held = await theirs.take(name, LONG);
  if (held === undefined) return finding(false, 'NO: it takes no free lock');
  const during = await ours.tryAcquire(name);
  await held.release();
  const after = await ours.tryAcquire(name);
  await after?.release();
  return allOf({ 'ours gets in': during === null, 'ours does not get in after it': after !== null });
}

/** Ours keeps theirs out, until we release. */
export async function oursExcludes(stage: Stage): Promise<Finding> {
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  const lock = await ours.acquire(name, { ttl: LONG });
  const during = await theirs.take(name, LONG);
  const isHeld = (await ours.tryAcquire(name)) === null && lock.isValid;
  await lock.release();
  const after = await taken(theirs, name, LONG);
  await after.release();
  return allOf({ 'it gets in': during === undefined, 'it takes ours away': isHeld });
}

/** Leases of both end by themselves, and an extension of theirs lasts. */
export async function leasesEnd(stage: Stage): Promise<Finding> {
  if (stage.library.expires === false) return finding(true, 'no lease');
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  await theirs.take(name, SHORT);
  await ours.acquire(name, { ttl: SHORT, waitTimeout: 20_000, retryDelay: 20 });
  const held = await taken(theirs, name, SHORT);
  const extended = await held.extend?.(LONG);
  await new Promise((resolve) => setTimeout(resolve, 2 * SHORT));
  const isKept = held.extend === undefined || (await ours.tryAcquire(name)) === null;
  await held.release();
  return allOf({ 'it cannot extend': extended !== false, 'its extension does not last': isKept });
}

/** Takes as soon as it is free. */
async function taken(theirs: Rival, name: string, ttl: number): Promise<RivalLock> {
  let lock: RivalLock | undefined;
  await eventually(async () => {
    lock = await theirs.take(name, ttl);
    if (lock === undefined) throw new Error(`${name} did not become free`);
  }, 20_000);
  return lock!;
}
