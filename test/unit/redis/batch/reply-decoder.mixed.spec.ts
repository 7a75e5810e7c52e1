import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { nodeClockOf, readAnswers, type NodeAnswer } from '../../../../lib/redis/batch/reply-decoder.js';
import { Batch } from '../../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import { Dice } from '../../../simulation/world/dice.js';

const CLOCK = 1_795_000_000_000;
const VERBS = [...'AWEFKRLSYaefkrs'] as Verb[];
/** What is usual for a verb that asks for no vote and is not always answered in full. */
const USUAL: Partial<Record<Verb, NodeAnswer['kind']>> = {
  E: 'extended',
  R: 'released',
  L: 'released',
  S: 'released',
};
const KINDS = {
  x: 'extended',
  m: 'missing',
  t: 'taken',
  u: 'raised',
  d: 'released',
  n: 'gone',
  k: 'kept',
  p: 'passed',
} as const;

/** What the script says of one operation, and what that means. */
interface Said {
  readonly verb: Verb;
  readonly proposal: number;
  readonly letter: string;
  readonly words: readonly unknown[];
  readonly meaning: NodeAnswer;
}

function usual(verb: Verb, proposal: number): NodeAnswer {
  const kind = USUAL[verb];
  return kind ? ({ kind } as NodeAnswer) : { kind: 'granted', fence: proposal, oldest: Infinity };
}

function said(dice: Dice): Said {
  const verb = dice.pick(VERBS);
  const proposal = 1_795_000_000_000_000 + dice.whole(1, 3);
  const number = dice.whole(0, 100_000);
  const of = (letter: string, words: readonly unknown[], meaning: NodeAnswer): Said => ({
    verb,
    proposal,
    letter,
    words,
    meaning,
  });
  const kind = dice.whole(1, 6);
  if (kind === 1 && (USUAL[verb] || 'AW'.includes(verb))) return of('*', [], usual(verb, proposal));
  if (kind === 2) return of('g', [`${number} -`], { kind: 'granted', fence: number, oldest: Infinity });
  if (kind === 3) return of('h', [number, 'owner, gh*'], { kind: 'held', remaining: number, owner: 'owner, gh*' });
  if (kind === 4) return of('q', [number], { kind: 'quarantined', remaining: number });
  if (kind === 5)
    return of('!', ['ERR g h * !'], { kind: 'unknown', reason: 'ERR g h * !', sent: true, refused: true });
  const letter = dice.pick(Object.keys(KINDS) as (keyof typeof KINDS)[]);
  return of(letter, [], { kind: KINDS[letter] });
}

describe('readAnswers of anything', () => {
  const read = (all: readonly Said[], value: unknown): NodeAnswer[] => {
    const batch = new Batch();
    for (const { verb, proposal } of all) {
      const question = new SingleCall<never>(new Claim(['a'], 'v'), 1);
      question.proposal = proposal;
      batch.add(verb, question, 0);
    }
    const answers: NodeAnswer[] = [];
    readAnswers(batch, { ok: true, value }, (_batch, _index, answer) => void answers.push(answer));
    return answers;
  };

  it.each([1, 2, 12, 128])('tells what the script says of each of %i operations, and the clock of the node', (size) => {
    const dice = new Dice(size);
    for (let round = 0; round < 1_000 / size; round += 1) {
      const all = Array.from({ length: size }, () => said(dice));
      const clock = dice.chance(0.5) ? [CLOCK] : [];
      const value = [all.map(({ letter }) => letter).join(''), ...all.flatMap(({ words }) => words), ...clock];
      expect(read(all, value)).toEqual(all.map(({ meaning }) => meaning));
      expect(nodeClockOf({ ok: true, value })).toBe(clock[0]);
    }
  });

  it.each([1, 2, 12, 128])('tells what is usual for each of %i operations where a number says so', (size) => {
    const dice = new Dice(size);
    for (let round = 0; round < 1_000 / size; round += 1) {
      const all = Array.from({ length: size }, () => said(dice)).map((one) => ({
        ...one,
        verb: dice.pick([...'AWERLS'] as Verb[]),
      }));
      const value = size + (dice.chance(0.5) ? 1_024 * CLOCK : 0);
      expect(read(all, value)).toEqual(all.map(({ verb, proposal }) => usual(verb, proposal)));
      expect(nodeClockOf({ ok: true, value })).toBe(value === size ? undefined : CLOCK);
    }
  });
});
