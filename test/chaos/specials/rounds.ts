import { overlapsOf, backwardsOf, type Backward, type Overlap } from '../check/exclusion.js';
import { toHistory } from '../check/history.js';
import { Dice } from '../dice.js';
import { majorityOf } from '../nemeses/nemesis.js';
import { machineTime } from '../record.js';
import type { Stage } from '../stage/stage.js';

export interface RoundsReport {
  readonly rounds: number;
  readonly holds: number;
  readonly overlaps: readonly Overlap[];
  readonly backwards: readonly Backward[];
  /** Ms from the restart of the nodes until the next one had the lock; the longest of all rounds. */
  readonly slowest: number;
  /** Rounds in which a caller did not get the lock at all. */
  readonly unserved: number;
}

export interface RoundsPlan {
  readonly rounds: number;
  readonly seed: number;
  /** Freezes the other nodes while the next caller asks, so that only the restarted ones vote. */
  readonly freezesOthers?: boolean;
  /** Ends the rounds early. */
  enough?(overlaps: readonly Overlap[], backwards: readonly Backward[]): boolean;
}

/**
 * One client holds a lock; a majority of the nodes is killed and restarted empty; another client asks for the lock at
 * once. Without a quarantine the nodes that forgot give it to the other while the first one still has it.
 */
export async function killThreeRounds(stage: Stage, plan: RoundsPlan): Promise<RoundsReport> {
  const { rounds, seed, enough, freezesOthers = false } = plan;
  const dice = new Dice(seed);
  const report = {
    rounds: 0,
    holds: 0,
    overlaps: [] as Overlap[],
    backwards: [] as Backward[],
    slowest: 0,
    unserved: 0,
  };
  for (let round = 1; round <= rounds; round += 1) {
    report.rounds = round;
    const took = await playRound(stage, dice, { round, freezesOthers });
    if (took === undefined) report.unserved += 1;
    else report.slowest = Math.max(report.slowest, took);
    const { holds } = toHistory(await stage.takeRecords());
    report.holds += holds.length;
    report.overlaps.push(...overlapsOf(holds));
    report.backwards.push(...backwardsOf(holds));
    if (enough?.(report.overlaps, report.backwards)) break;
  }
  return report;
}

async function playRound(
  stage: Stage,
  dice: Dice,
  { round, freezesOthers }: { readonly round: number; readonly freezesOthers: boolean },
): Promise<number | undefined> {
  const [first, second] = dice.some(2, stage.clients);
  const resource = `round-${round}`;
  const ttl = stage.terms.maxTtl;
  const terms = { resource, ttl, waitTimeout: 20 * ttl };
  const holder = await first!.process.turn({ id: `${resource}/1`, ...terms, hold: 2 * ttl });
  if (!holder.isHolder) return undefined;
  const forgetful = dice.some(majorityOf(stage), stage.nodes);
  const others = freezesOthers ? stage.nodes.filter((node) => !forgetful.includes(node)) : [];
  await Promise.all(forgetful.map((node) => node.restart()));
  const restarted = machineTime();
  await Promise.all(others.map(({ server }) => server.freeze()));
  const next = await second!.process.turn({ id: `${resource}/2`, ...terms, hold: 0 });
  await Promise.all(others.map(({ server }) => server.thaw()));
  const took = machineTime() - restarted;
  await Promise.all([holder.over, next.over]);
  return next.isHolder ? took : undefined;
}
