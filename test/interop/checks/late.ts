import type { Stage } from '../stage.js';
import { finding, type Finding } from './finding.js';
import { Holds } from './holds.js';

const SHORT = 200;
const LONG = 60_000;

/**
 * They extend after their lease has ended and ours was there: a client that is not told believes that it held it all
 * along.
 */
export async function lateExtension(stage: Stage): Promise<Finding> {
  const { lateExtension: expected } = stage.library;
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  const holds = new Holds();
  const held = await theirs.take(name, SHORT);
  if (held?.extend === undefined) return finding(expected === 'cannot extend', 'cannot extend');
  const end = holds.begin('theirs');
  const lock = await ours.acquire(name, { ttl: LONG, waitTimeout: 20_000, retryDelay: 20 });
  const endOurs = holds.begin('ours');
  endOurs();
  await lock.release();
  await pass();
  if (await held.extend(LONG)) end();
  await held.release();
  const isBelieved = holds.overlaps > 0;
  return finding(isBelieved === (expected === 'believes it'), isBelieved ? 'TWO HOLDERS' : 'is told');
}

/**
 * They release after their lease has ended and ours has the lock: a client that deletes whatever is there lets a third
 * one in.
 */
export async function lateRelease(stage: Stage): Promise<Finding> {
  if (stage.library.expires === false) return finding(true, 'no lease');
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  const third = await stage.ours();
  const holds = new Holds();
  const held = await theirs.take(name, SHORT);
  const lock = await ours.acquire(name, { ttl: LONG, waitTimeout: 20_000, retryDelay: 20 });
  const end = holds.begin('ours');
  await held!.release();
  const other = await third.tryAcquire(name);
  const endOther = holds.begin('a third one');
  await pass();
  if (other !== null) endOther();
  if (lock.isValid) end();
  await Promise.all([lock.release(), other?.release()]);
  const isDouble = holds.overlaps > 0;
  return finding(isDouble === (stage.library.deletesAny === true), isDouble ? 'TWO HOLDERS' : 'leaves ours');
}

/** So that no two things happen in the same moment of the clock. */
function pass(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}
