import type { Stage } from '../stage.js';
import { finding, type Finding } from './finding.js';
import { Holds } from './holds.js';

/** A library with other keys does not see ours: both hold a lock of one name. */
export async function elsewhere(stage: Stage): Promise<Finding> {
  const [ours, theirs, name] = [await stage.ours(), await stage.theirs(), stage.name()];
  const holds = new Holds();
  const ends: (() => void)[] = [];
  const held = await theirs.take(name, 60_000);
  if (held) ends.push(holds.begin('theirs'));
  const lock = await ours.tryAcquire(name);
  if (lock) ends.push(holds.begin('ours'));
  await new Promise((resolve) => setTimeout(resolve, 2));
  for (const end of ends) end();
  await Promise.all([held?.release(), lock?.release()]);
  return finding(holds.overlaps > 0, holds.overlaps > 0 ? 'TWO HOLDERS' : 'one holder');
}
