import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Aside } from '../../../lib/core/aside.js';
import { Claim } from '../../../lib/core/claim.js';
import { BatchEncoder } from '../../../lib/redis/batch-encoder.js';
import { Batch, type Verb } from '../../../lib/redis/batch.js';
import { wordsOf } from '../../support/command-words.js';
import { RedisPool } from '../../support/redis-pool.js';

/** A node answers with a number where all went the short way, and with letters where something took the long one. */
describe('a node on which somebody waits', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(1)));
  afterAll(() => pool.stop());
  beforeEach(() => pool.ask(0, (redis) => redis.flushall()));

  const encoder = new BatchEncoder('', { maxTtl: 30_000, restartQuarantine: false });
  const ask = (verb: Verb): Promise<unknown> => {
    const batch = new Batch();
    const question = new Aside<never>(new Claim(['wanted'], 'value'), 1_000);
    question.proposal = Date.now() * 1_000;
    batch.add(verb, question, 0);
    const [words] = wordsOf(encoder.wire(batch, 'eval'));
    return pool.ask(0, (redis) => redis.call(words![0]!, ...words!.slice(1)));
  };
  const lineUpFor = (resource: string): Promise<unknown> =>
    pool.ask(0, (redis) =>
      redis.multi().set('~waiting', 1).zadd(`${resource}~waiters`, 1, 'grace value channel').exec(),
    );

  it.each<[Verb, Verb]>([
    ['A', 'R'],
    ['W', 'L'],
    ['W', 'S'],
  ])('takes and gives back (%s, %s) what nobody waits for in the short way', async (take, release) => {
    await lineUpFor('other');
    expect(await ask(take)).toEqual(expect.any(Number));
    expect(await pool.owners('wanted')).toEqual(['value']);
    expect(await ask(release)).toEqual(expect.any(Number));
    expect(await pool.owners('wanted')).toEqual([null]);
  });

  it.each<Verb>(['A', 'W', 'R'])('looks at the line with %s where somebody waits for it', async (verb) => {
    await lineUpFor('wanted');
    expect(await ask(verb)).not.toEqual(expect.any(Number));
  });
});
