import { describe, expect, it } from '@jest/globals';
import type { AcquireAnswer } from '../../../../../lib/core/port/lock-node.js';
import { Redlock } from '../../../../../lib/core/redlock.js';
import { answeringNode } from '../../../../support/answering-node.js';
import { SeededRandom } from '../../../../support/seeded-random.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const ANSWERS = {
  free: { kind: 'granted', fence: 1 },
  x: { kind: 'held', owner: 'x', remaining: 60_000 },
  y: { kind: 'held', owner: 'y', remaining: 60_000 },
  out: { kind: 'quarantined', remaining: 200 },
  down: { kind: 'unknown', reason: 'connection closed', sent: false },
  lost: { kind: 'unknown', reason: 'connection closed', sent: true },
} as const satisfies Record<string, AcquireAnswer>;

type Word = keyof typeof ANSWERS | 'silent';
const WORDS: readonly Word[] = ['free', 'x', 'y', 'out', 'down', 'lost', 'silent'];
const VOTES: readonly Word[] = ['free', 'x', 'y'];

/** Every mixture of answers of so many nodes, whatever their order. */
function mixtures(size: number, words = WORDS): Word[][] {
  if (size === 0) return [[]];
  return words.flatMap((word, index) => mixtures(size - 1, words.slice(index)).map((rest) => [word, ...rest]));
}

function shuffled(mixture: readonly Word[], random: SeededRandom): Word[] {
  const left = [...mixture];
  return mixture.map(() => left.splice(Math.floor(random.fraction() * left.length), 1)[0]!);
}

/** How the same answers may come: votes before everything else, after it, and in any order. */
function orders(mixture: readonly Word[], random: SeededRandom): Word[][] {
  return [[...mixture], [...mixture].reverse(), shuffled(mixture, random), shuffled(mixture, random)];
}

/** The code of the error of one caller, of nodes that answer in this order, a ms apart. */
async function refusal(order: readonly Word[], waitTimeout: number): Promise<unknown> {
  const clock = new VirtualClock();
  const nodes = order.map((word, index) => {
    const silent = { answer: ANSWERS.lost, after: 1_000_000 };
    const saying = word === 'silent' ? silent : { answer: ANSWERS[word], after: index + 1 };
    return answeringNode(`node-${index}`, saying, clock);
  });
  const redlock = new Redlock({ nodes, clock, random: new SeededRandom() });
  const options = { waitTimeout, retryDelay: 40, retryJitter: 0 };
  const refused = redlock.acquire('a', options).then(
    () => 'acquired',
    (error: { code?: unknown }) => error.code,
  );
  return clock.until(refused);
}

describe('what a caller without the lock is told', () => {
  describe.each([
    ['if it asks once', 0],
    ['if it stands in line', 130],
  ])('%s', (_who, waitTimeout) => {
    it.each([1, 2, 3, 4, 5])(
      'is that the resource is locked only if a quorum of %i nodes votes, and else that there is no quorum, however they answer',
      async (size) => {
        const random = new SeededRandom(size);
        const quorum = Math.floor(size / 2) + 1;
        const wrong: unknown[] = [];
        for (const mixture of mixtures(size)) {
          const count = (...words: Word[]): number => mixture.filter((word) => words.includes(word)).length;
          if (count('free') >= quorum) continue;
          const expected = count(...VOTES) >= quorum ? 'RESOURCE_LOCKED' : 'QUORUM_NOT_REACHED';
          for (const order of orders(mixture, random)) {
            const told = await refusal(order, waitTimeout);
            if (told !== expected) wrong.push([order.join(' '), told]);
          }
        }
        expect(wrong).toEqual([]);
      },
    );
  });
});

describe('the cause of the error of a caller without the lock', () => {
  const value = (mark: string): string => mark.padEnd(27, 'x');
  const causeOf = async (owners: readonly string[]): Promise<{ cause?: unknown; printed: string }> => {
    const clock = new VirtualClock();
    const nodes = owners.map((owner, index) => {
      const answer = { kind: 'held', owner, remaining: 60_000 } as const;
      return answeringNode(`node-${index}`, { answer, after: index + 1 }, clock);
    });
    const redlock = new Redlock({ nodes, clock, random: new SeededRandom() });
    const refused = redlock.acquire('a', { waitTimeout: 0, retryCount: 0 }).catch((reason: unknown) => reason);
    const error = (await clock.until(refused)) as Error;
    return { cause: error.cause, printed: JSON.stringify({ ...error, message: error.message }) };
  };

  it('names the mark of the process that has a quorum, and no enumerable property does', async () => {
    const { cause, printed } = await causeOf([value('mark-1'), value('mark-2'), value('mark-1')]);
    expect(cause).toEqual({ holder: 'mark-1' });
    expect(printed).not.toContain('mark-1');
  });

  it.each([
    ['the votes are split', [value('mark-1'), value('mark-2'), value('mark-3')]],
    ['another library holds it', ['x', 'x', 'x']],
  ])('is not there where %s', async (_case, owners) => {
    expect((await causeOf(owners)).cause).toBeUndefined();
  });
});
