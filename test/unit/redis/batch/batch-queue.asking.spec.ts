import { setImmediate as immediate } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import type { Moment } from '../../../../lib/core/time/clock.js';
import { BatchQueue } from '../../../../lib/redis/batch/batch-queue.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';

const OK: Reply = { ok: true, value: 'g' };
const NOSCRIPT: Reply = { ok: false, reason: 'NOSCRIPT No matching script.', sent: true };

/** When the batch was sent that was the first, second or so on. */
const momentOf = (count: number): Moment => ({ monotonic: count, wall: count });

describe('BatchQueue, asked which claim waits for an answer', () => {
  const claim = new Claim(['a'], 'mine');
  const other = new Claim(['a'], 'other');
  let queue: BatchQueue;
  let sent: number;
  /** Answers the oldest batch that is under way. */
  let underWay: ((reply: Reply) => void)[];
  const answer = (...replies: Reply[]) => replies.forEach((reply) => underWay.shift()!(reply));

  beforeEach(() => {
    [sent, underWay] = [0, []];
    queue = new BatchQueue({
      nextTurn: (task) => void immediate(task),
      send: (_batch, _command, settle) => {
        sent += 1;
        underWay.push(settle);
        return momentOf(sent);
      },
      settle: () => undefined,
    });
  });

  const askAs = async (verb: Verb, one = claim): Promise<void> => {
    queue.add(verb, new SingleCall<never>(one, 1_000), 0);
    await setImmediate();
  };

  it.each<Verb>(['W', 'Y'])(
    'finds a claim that asks by %s for a place in line, until the answer is there',
    async (verb) => {
      queue.add(verb, new SingleCall<never>(claim, 1_000), 0);
      expect(queue.asking('mine', 'a')).toBeUndefined();
      await setImmediate();
      expect(queue.asking('mine', 'a')).toEqual({ claim, since: momentOf(1) });
      answer(OK);
      expect(queue.asking('mine', 'a')).toBeUndefined();
    },
  );

  it('finds when it asked first: the node may have heard of it since then', async () => {
    await askAs('A', other);
    await askAs('W');
    await askAs('W');
    expect(queue.asking('mine', 'a')).toEqual({ claim, since: momentOf(2) });
    answer(OK, OK);
    expect(queue.asking('mine', 'a')).toEqual({ claim, since: momentOf(3) });
  });

  it.each<Verb>(['A', 'E', 'R', 'L', 'S'])('finds no claim that asks by %s: a node gives it no place', async (verb) => {
    await askAs(verb);
    await askAs('W', other);
    expect(queue.asking('mine', 'a')).toBeUndefined();
  });

  it('finds no claim in a batch that a node has refused, since the node has not read it', async () => {
    await askAs('W');
    await askAs('A', other);
    answer(NOSCRIPT);
    expect(queue.asking('mine', 'a')).toBeUndefined();
    answer(NOSCRIPT);
    expect(queue.asking('mine', 'a')).toEqual({ claim, since: momentOf(3) });
  });

  it('finds no claim that asks under the same value for another resource', async () => {
    await askAs('W');
    expect(queue.asking('mine', 'b')).toBeUndefined();
  });

  it('finds the claim that is left when batches are answered in another order', async () => {
    await askAs('W');
    await askAs('A', other);
    underWay.pop()!(OK);
    expect(queue.asking('mine', 'a')).toEqual({ claim, since: momentOf(1) });
  });

  describe('of the latest answer', () => {
    const both = new Claim(['b', 'a'], 'mine');

    it.each<[Verb, Claim]>([
      ['A', claim],
      ['W', claim],
      ['a', both],
    ])('knows that it is about a vote, asked for by %s', async (verb, one) => {
      await askAs(verb, one);
      expect(queue.hasJustAskedFor(claim)).toBe(false);
      answer(OK);
      expect(queue.hasJustAskedFor(claim)).toBe(true);
      expect(queue.hasJustAskedFor(other)).toBe(false);
      expect(queue.hasJustAskedFor(new Claim(['c'], 'mine'))).toBe(false);
    });

    it('forgets it with the next answer', async () => {
      await askAs('A');
      await askAs('A', other);
      answer(OK, OK);
      expect(queue.hasJustAskedFor(claim)).toBe(false);
    });

    it.each<Verb>(['R', 'L', 'E'])('knows of no vote that %s asks for', async (verb) => {
      await askAs(verb);
      answer(OK);
      expect(queue.hasJustAskedFor(claim)).toBe(false);
    });

    it('knows of no vote where the node did not know the script', async () => {
      await askAs('A');
      answer(NOSCRIPT);
      expect(queue.hasJustAskedFor(claim)).toBe(false);
    });
  });
});
