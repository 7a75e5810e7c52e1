import { PERMITS, type Ask, type Fault, type Hold, type Look, type OnceAnswer } from '../record.js';
import { lateAborts } from './aborts.js';
import { twoAnswersOf, type TwoAnswers } from './answers.js';
import { stillborn, unawareOf } from './awareness.js';
import { backwardsOf, overlapsOf, type Backward, type Overlap } from './exclusion.js';
import { handOffs, type HandOff } from './hand-off.js';
import type { History } from './history.js';
import { leadersOf, type Leaders } from './leaders.js';
import { permitsOf, type Permits } from './permits.js';
import { recoveryOf, type Calm } from './recovery.js';

/** One stretch of faults and the calm after it, with what was found in it. */
export interface Chapter {
  readonly from: number;
  readonly calm: Calm;
  readonly faults: readonly Fault[];
  readonly history: History;
}

export interface Findings {
  readonly overlaps: readonly Overlap[];
  readonly backwards: readonly Backward[];
  readonly lateAborts: readonly Hold[];
  readonly unaware: readonly Look[];
  /** How many locks were over when their callers got them. */
  readonly stillborn: number;
  readonly unserved: readonly string[];
  readonly troubles: readonly string[];
  readonly twoAnswers: readonly TwoAnswers[];
  readonly permits: Permits;
  readonly leaders: Leaders;
  readonly holds: number;
  readonly asks: number;
  /** Ms. */
  readonly recovery: number;
  readonly handOff: HandOff;
}

/** What earlier chapters came to; it is kept up to date. */
export class Past {
  /** The holder of the highest token of each resource. */
  readonly highest = new Map<string, Hold>();
  /** The first answer of each key. */
  readonly answers = new Map<string, OnceAnswer>();
}

export function findingsOf({ calm, history }: Chapter, { highest, answers }: Past): Findings {
  const { asks, holds, looks, stalls, onces, troubles } = history;
  const { took, unserved, starved } = recoveryOf(asks, calm);
  const quiet = holds.filter(({ from }) => from > calm.from + took && from < calm.to);
  return {
    overlaps: overlapsOf(holds),
    backwards: backwardsOf(holds, highest),
    lateAborts: lateAborts(holds, stalls),
    unaware: unawareOf(looks),
    stillborn: stillborn(holds).length,
    unserved: [
      ...unserved.map((ask) => waitOf(ask, calm.from)),
      ...starved.map((who) => `${who} waited for anything, in vain,`),
    ],
    troubles,
    twoAnswers: twoAnswersOf(onces, answers),
    permits: permitsOf(holds, PERMITS.limit),
    leaders: leadersOf(holds, calm),
    holds: holds.length,
    asks: asks.length,
    recovery: took,
    handOff: handOffs('hot', asks, quiet),
  };
}

/** In words, what must not have been. */
export function complaints(found: Findings): string[] {
  return [
    ...found.overlaps.map(
      ({ first, second, ms }) =>
        `${first.id} and ${second.id} both held ${first.resource} for ${ms.toFixed(1)} ms from ${Math.round(second.from)} on`,
    ),
    ...found.backwards.map(
      ({ first, second }) =>
        `${second.resource}: ${second.id} got token ${second.token} after ${first.id} got ${first.token}`,
    ),
    ...found.lateAborts.map(
      ({ id, lost, until }) => `${id} was told of its loss ${(lost! - until).toFixed(1)} ms late`,
    ),
    ...found.unaware.map(
      ({ id, left, aborted }) =>
        `${id} believed in ${left} ms (signal ${aborted ? 'aborted' : 'quiet'}) after its validity`,
    ),
    ...found.unserved.map((who) => `${who} after the faults had ended`),
    ...found.permits.crowds.map(({ ids }) => `${ids.join(', ')} had more than ${PERMITS.limit} slots at once`),
    ...(found.leaders.isLeaderless ? [leaderless(found.leaders)] : []),
    ...found.leaders.hasty.map(({ id }) => `${id} led before its process had cleaned up after the term before`),
    ...found.troubles,
  ];
}

function leaderless({ took }: Leaders): string {
  return took === Infinity ? 'nobody led after the faults' : `nobody led for ${Math.round(took)} ms after the faults`;
}

function waitOf({ id, resource, asked, answered, code }: Ask, end: number): string {
  const outcome = answered === undefined ? 'for ever' : `for ${Math.round(answered - end)} ms (${code ?? 'served'})`;
  return `${id} waited for ${resource} since ${Math.round(end - asked)} ms before, and ${outcome}`;
}
