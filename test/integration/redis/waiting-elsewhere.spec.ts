import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim } from '../../../lib/core/port/claim.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { Batch } from '../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../lib/redis/scripts/protocol.js';
import { wordsOf } from '../../support/command-words.js';
import { RedisPool } from '../../support/redis-pool.js';

/** What comes with the answer to a waiter that is put in line. */
const SECRET = [expect.stringMatching(/^[0-9a-f]{40}$/)];

/** A node answers with a number where all went the short way, and with letters where something took the long one. */
describe('a node with a waiter', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(1)));
  afterAll(() => pool.stop());
  beforeEach(() => pool.ask(0, (redis) => redis.flushall()));

  const encoder = new BatchEncoder('', { maxTtl: 30_000, restartQuarantine: false }, new SystemClock());
  const ask = (verb: Verb, user = 'default'): Promise<unknown> => {
    const batch = new Batch();
    const question = new SingleCall<never>(new Claim(['wanted'], 'value'), 1_000);
    question.proposal = Date.now() * 1_000;
    batch.add(verb, question, 0);
    const [words] = wordsOf(encoder.wire(batch, 'eval'));
    return pool.ask(0, async (redis) => {
      await redis.auth(user, '');
      return redis.call(words![0]!, ...words!.slice(1));
    });
  };
  const lineUpFor = (resource: string, arrived = 1): Promise<unknown> =>
    pool.ask(0, (redis) =>
      redis.multi().set('~waiting', 1).zadd(`${resource}~waiters`, arrived, '500 other channel').exec(),
    );

  it.each<[Verb, Verb]>([
    ['A', 'R'],
    ['W', 'L'],
    ['W', 'S'],
  ])('takes and gives back (%s, %s) in the short way a resource that nobody waits for', async (take, release) => {
    await lineUpFor('other');
    expect(await ask(take)).toEqual(expect.any(Number));
    expect(await pool.owners('wanted')).toEqual(['value']);
    expect(await ask(release)).toEqual(expect.any(Number));
    expect(await pool.owners('wanted')).toEqual([null]);
  });

  it.each<Verb>(['A', 'W', 'R'])('looks at the line with %s when a caller waits for the resource', async (verb) => {
    await lineUpFor('wanted');
    expect(await ask(verb)).not.toEqual(expect.any(Number));
  });

  it('leaves a free resource to the waiter that came first, also when the caller may not notify it', async () => {
    await pool.ask(0, (redis) => redis.acl('SETUSER', 'mute', 'on', 'nopass', '~*', '+@all', '-publish'));
    await lineUpFor('wanted', -1);
    await pool.ask(0, async (redis) => {
      await redis.subscribe('channel');
      expect(await ask('W', 'mute')).toEqual(['h', expect.any(Number), '', SECRET, expect.any(Number)]);
    });
    expect(await pool.owners('wanted')).toEqual([null]);
    expect(await pool.ask(0, (redis) => redis.zrange('wanted~waiters', 0, '0'))).toEqual(['500 other channel']);
  });

  it.each(['default', 'unasking'])('passes over a waiter that is gone, asked by the user %s', async (user) => {
    await pool.ask(0, (redis) => redis.acl('SETUSER', 'unasking', 'on', 'nopass', '~*', '&*', '+@all', '-pubsub'));
    await lineUpFor('wanted', -1);
    expect(await ask('W', user)).toEqual(['g', expect.any(String), SECRET, expect.any(Number)]);
    expect(await pool.owners('wanted')).toEqual(['value']);
  });

  describe('says so by a mark', () => {
    const mark = (): Promise<string | null> => pool.ask(0, (redis) => redis.get('~waiting'));
    const leftOf = (key: string): Promise<number> => pool.ask(0, (redis) => redis.pttl(key));
    /** Waits for a resource that another claim has. */
    const wait = async (): Promise<void> => {
      await pool.plant(0, 'wanted');
      expect(await ask('W')).not.toEqual(expect.any(Number));
    };

    it('which stays for longer than the line', async () => {
      await wait();
      expect(await leftOf('wanted~waiters')).toBeGreaterThan(0);
      expect(await leftOf('~waiting')).toBeGreaterThan(await leftOf('wanted~waiters'));
    });

    it('with a secret that stays, and that is told to each waiter that is put in line', async () => {
      await wait();
      const [, secret] = (await mark())!.split(' ');
      await pool.ask(0, (redis) => redis.set('~waiting', `1 ${secret}`));
      expect(await ask('W')).toEqual(['h', expect.any(Number), 'foreign', [secret], expect.any(Number)]);
      expect(await mark()).toMatch(new RegExp(`^\\d{16} ${secret}$`));
    });

    it('with a secret of its own, whatever is proposed', async () => {
      const secrets: unknown[] = [];
      for (let time = 0; time < 3; time += 1) {
        await pool.ask(0, (redis) => redis.flushall());
        await wait();
        secrets.push(await mark());
      }
      expect(new Set(secrets.map((one) => String(one).split(' ')[1])).size).toBe(3);
    });

    it('which is not written again while no line can outlive it', async () => {
      await wait();
      const written = await mark();
      await wait();
      expect(await mark()).toBe(written);
    });

    it.each(['1', String((Date.now() + 55_000) * 1_000)])(
      'which is renewed before a line outlives it: %s',
      async (old) => {
        await pool.ask(0, (redis) => redis.set('~waiting', old, 'PX', 55_000));
        await wait();
        expect(await leftOf('~waiting')).toBeGreaterThan(await leftOf('wanted~waiters'));
      },
    );
  });
});
