import { setTimeout as sleep } from 'node:timers/promises';
import { toHistory } from './check/history.js';
import type { Chapter } from './check/verdict.js';
import { Dice } from './dice.js';
import type { Nemesis } from './nemeses/nemesis.js';
import { Schedule } from './nemeses/schedule.js';
import { machineTime } from './record.js';
import type { Stage } from './stage/stage.js';

export interface ChaosPlan {
  /** Ms of faults in all, and in one chapter. */
  readonly duration: number;
  readonly chapter: number;
  readonly seed: number;
  readonly nemeses: readonly Nemesis[];
}

/** Ms after the last fault within which all waiters have to be served, beyond the length of a quarantine. */
export const RECOVERY = 1_000;
const NEW_POOL_WITHIN = 60_000;

/** Makes faults happen, heals them all, lets all clients recover and rest, and tells what happened; again and again. */
export async function* chaosChapters(stage: Stage, plan: ChaosPlan): AsyncGenerator<Chapter & { failures: string[] }> {
  const dice = new Dice(plan.seed);
  const nemeses = plan.nemeses.filter(({ needsClocks }) => !needsClocks || stage.hasClocks);
  await untilTrusted(stage);
  let left = plan.duration;
  while (left > 0) {
    const length = Math.min(left, plan.chapter);
    left -= length;
    yield await chapter(stage, new Schedule(stage, nemeses, dice), length);
  }
}

/** New nodes give no votes at first. */
export async function untilTrusted({ clients: [first], terms }: Stage): Promise<void> {
  const { ttl } = terms;
  const turn = { id: 'first', resource: 'first', ttl, waitTimeout: NEW_POOL_WITHIN, hold: 0 };
  const { isHolder, over } = await first!.process.turn(turn);
  if (!isHolder) throw new Error(`no lock within ${NEW_POOL_WITHIN} ms on a new pool`);
  await over;
}

async function chapter(
  stage: Stage,
  schedule: Schedule,
  length: number,
): Promise<Chapter & { readonly failures: string[] }> {
  const limit = stage.terms.maxTtl + RECOVERY;
  const from = machineTime();
  stage.change('go');
  await schedule.run(length);
  await stage.calm();
  const healed = machineTime();
  await sleep(limit);
  const to = machineTime();
  await stage.rest();
  const history = toHistory(await stage.takeRecords());
  const failures = [...schedule.failures, ...stage.crashes];
  return { from, calm: { from: healed, to, limit }, faults: schedule.faults, history, failures };
}

/** Resolves when no lease can be left on any node, with all keys that are there. */
export async function keysAfterwards(stage: Stage): Promise<string[][]> {
  await sleep(stage.terms.maxTtl + RECOVERY);
  return stage.keys();
}
