import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Claim } from '../../../lib/core/port/claim.js';
import { OwnClaim } from '../../../lib/core/quorum/own-claim.js';
import type { AwaitedClaim } from '../../../lib/redis/batch/batch-queue.js';
import { GrantChannel } from '../../../lib/redis/grant-channel.js';
import { RedisStub } from '../../support/channel-stub.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('GrantChannel', () => {
  let told: unknown[];
  /** The claims that have asked and have no answer yet. */
  let asking: AwaitedClaim[];
  let channel: GrantChannel;
  const listen = async (redis: RedisStub): Promise<RedisStub> => {
    channel.listen(redis as unknown as Redis);
    await setImmediate();
    return redis;
  };
  const claim = new Claim(['a'], 'ours');

  beforeEach(() => {
    [told, asking] = [[], []];
    channel = new GrantChannel({ channel: 'grants', keyPrefix: 'lock:' }, new VirtualClock(), {
      granted: (one, { fence, oldest }, since) =>
        told.push(['granted', one, { fence, oldest }, ...(since ? [since] : [])]),
      notBefore: () => undefined,
      asking: (value, resource) =>
        asking.find(({ claim: { value: one, resources } }) => one === value && resources[0] === resource),
      unwanted: ({ value, resources }) => told.push(['unwanted', value, ...resources]),
      unavailable: (reason) => told.push(['unavailable', reason]),
    });
  });

  it('is of no use before it listens', () => {
    expect(channel.canHear).toBe(false);
  });

  it('listens to its own name, on a connection that speaks RESP3', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    expect([channel.canHear, redis.subscribed, told]).toEqual([true, ['grants'], []]);
  });

  it('is of use at once, since nothing that is asked can overtake the subscription', () => {
    channel.listen(new RedisStub({ protocol: 3 }) as unknown as Redis);
    expect(channel.canHear).toBe(true);
  });

  it.each([{ protocol: 2 }, null])('is of no use on a connection with %j, and says so', async (condition) => {
    const redis = await listen(new RedisStub(condition));
    expect([channel.canHear, redis.subscribed]).toEqual([false, []]);
    expect(told).toEqual([['unavailable', expect.stringContaining('RESP3')]]);
  });

  it.each([
    'NOPERM User locker has no permissions to access one of the channels used as arguments',
    "ERR unknown command 'SUBSCRIBE'",
  ])('is of no use where the node refuses it, and says so: %s', async (refusal) => {
    await listen(new RedisStub({ protocol: 3 }, refusal));
    expect([channel.canHear, told]).toEqual([false, [['unavailable', refusal]]]);
  });

  it.each(['Connection is closed.', 'read ECONNRESET'])(
    'does not take for a refusal that the connection broke: %s',
    async (error) => {
      await listen(new RedisStub({ protocol: 3 }, error));
      expect(told).toEqual([]);
    },
  );

  // "maxRetriesPerRequest" holds the letters "err", whatever their case.
  it('does not take for a refusal what ioredis says of a connection that broke', async () => {
    const error = 'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option.';
    await listen(new RedisStub({ protocol: 3 }, error));
    expect(told).toEqual([]);
  });

  it('says once that it is of no use, not at every reconnect, and again after it was of use', async () => {
    for (const protocol of [2, 2, 2]) await listen(new RedisStub({ protocol }));
    expect(told).toHaveLength(1);
    await listen(new RedisStub({ protocol: 3 }));
    expect(channel.canHear).toBe(true);
    await listen(new RedisStub({ protocol: 2 }));
    expect([channel.canHear, told.length]).toEqual([false, 2]);
  });

  it('tells the claim that is waited for of its grant', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    channel.expect(claim);
    redis.say('ours 7 1795 lock:a');
    redis.say('ours 8 - lock:a');
    expect(told).toEqual([
      ['granted', claim, { fence: 7, oldest: 1_795 }],
      ['granted', claim, { fence: 8, oldest: Infinity }],
    ]);
  });

  it('knows claims apart', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    const other = new Claim(['b'], 'other');
    for (const one of [claim, other, claim]) channel.expect(one);
    redis.say('other 8 - lock:b');
    expect(told).toEqual([['granted', other, { fence: 8, oldest: Infinity }]]);
  });

  it('gives back a resource that no claim waits for any more, whatever characters its name has', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    channel.expect(claim);
    channel.forget(claim);
    redis.say('ours 7 - lock:a b  c');
    expect(told).toEqual([['unwanted', 'ours', 'a b  c']]);
  });

  it('tells a claim that has no answer yet, with the time at which it asked: a node may tell of a grant before it answers', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    const since = { monotonic: 5, wall: 1_005 };
    asking.push({ claim, since });
    for (const key of ['a', 'b']) redis.say(`ours 7 - lock:${key}`);
    expect(told).toEqual([
      ['granted', claim, { fence: 7, oldest: Infinity }, since],
      ['unwanted', 'ours', 'b'],
    ]);
  });

  it('tells a claim that has no answer yet also when another part of the lock waits', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    const other = new Claim(['b'], 'ours');
    channel.expect(claim);
    asking.push({ claim: other, since: { monotonic: 5, wall: 1_005 } });
    redis.say('ours 7 - lock:b');
    expect(told).toEqual([['granted', other, expect.anything(), expect.anything()]]);
  });

  it('hears each grant once on a connection that was made again', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    await listen(redis);
    channel.expect(claim);
    redis.say('ours 7 - lock:a');
    expect([told.length, redis.subscribed.length]).toEqual([1, 2]);
  });

  it('forgets, once there are many, the claims that no longer hold or wait', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    const claimOf = (value: string, isWaiting: boolean, isOver: boolean): Claim => {
      const made = new OwnClaim(['a'], value, { arrived: 1, ttl: 1, isWaiting, granted: () => undefined });
      if (isOver) made.finish();
      return made;
    };
    const claims = [claimOf('waiting', true, false), claimOf('held', false, false), claimOf('over', false, true)];
    for (const one of claims) channel.expect(one);
    for (let index = 0; index < 1_000; index += 1) channel.expect(claimOf(`other-${index}`, false, true));
    for (const { value } of claims) redis.say(`${value} 7 - lock:a`);
    expect(told).toEqual([
      ['granted', claims[0], { fence: 7, oldest: Infinity }],
      ['granted', claims[1], { fence: 7, oldest: Infinity }],
      ['unwanted', 'over', 'a'],
    ]);
  });

  it('takes a grant of another resource under the same value for no vote, and does not give it back', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    channel.expect(claim);
    redis.say('ours 7 - lock:b');
    expect(told).toEqual([]);
    redis.say('ours 7 - lock:a');
    expect(told).toEqual([['granted', claim, { fence: 7, oldest: Infinity }]]);
  });

  it('forgets no other part of a lock that has the same value', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }));
    channel.expect(claim);
    channel.forget(new Claim(['b'], 'ours'));
    redis.say('ours 7 - lock:a');
    expect(told).toEqual([['granted', claim, { fence: 7, oldest: Infinity }]]);
  });
});
