import { setTimeout } from 'node:timers/promises';
import type { Stage } from '../stage.js';
import { allOf, type Finding } from './finding.js';
import { Holds } from './holds.js';

const CLIENTS = 4;
const TTL = 10_000;
/** For how long, ms, a kind may have got nothing before it counts as kept out: far longer than a busy machine stands still. */
const PATIENCE = 30_000;

/** Four clients of each kind want the same lock all the time, for so many ms, and until each kind has had it. */
export async function hammer(stage: Stage, ms: number): Promise<Finding> {
  const [holds, name] = [new Holds(), stage.name()];
  const clients = Array.from({ length: CLIENTS }, () => [ours(stage, name, holds), theirs(stage, name, holds)]);
  const runs = await Promise.all(clients.flat());
  const start = performance.now();
  const goesOn = (): boolean => {
    const hasEach = holds.count('ours') > 0 && holds.count('theirs') > 0;
    return performance.now() - start < (hasEach ? ms : PATIENCE);
  };
  await Promise.all(runs.map((run) => repeat(run, goesOn)));
  const [we, they] = [holds.count('ours'), holds.count('theirs')];
  return allOf(
    { 'two held it at once': holds.overlaps === 0, 'ours never got it': we > 0, 'it never got it': they > 0 },
    `${we} + ${they}`,
  );
}

async function repeat(run: () => Promise<void>, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await run();
    // A client that asks without a pause leaves no gap for those that only ask now and then.
    await setTimeout(20 * Math.random());
  }
}

async function ours(stage: Stage, name: string, holds: Holds): Promise<() => Promise<void>> {
  const redlock = await stage.ours();
  return async () => {
    const lock = await redlock.acquire(name, { ttl: TTL, waitTimeout: 60_000 });
    const end = holds.begin('ours');
    await setTimeout(2 * Math.random());
    end();
    await lock.release();
  };
}

async function theirs(stage: Stage, name: string, holds: Holds): Promise<() => Promise<void>> {
  const rival = await stage.theirs();
  return async () => {
    const lock = await rival.take(name, TTL);
    if (lock === undefined) return;
    const end = holds.begin('theirs');
    await setTimeout(2 * Math.random());
    end();
    await lock.release();
  };
}
