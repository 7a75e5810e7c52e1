import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { GrantChannel } from '../../../lib/redis/grant-channel.js';
import { RedisStub } from '../../support/channel-stub.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const BUSY = 'BUSY Redis is busy running a script.';

describe('a channel for grants of a node that is busy', () => {
  let told: string[];
  let clock: VirtualClock;
  let channel: GrantChannel;
  const listen = async (redis: RedisStub): Promise<RedisStub> => {
    channel.listen(redis as unknown as Redis);
    await setImmediate();
    return redis;
  };

  beforeEach(() => {
    [told, clock] = [[], new VirtualClock()];
    channel = new GrantChannel({ channel: 'grants', keyPrefix: 'lock:' }, clock, {
      granted: () => undefined,
      notBefore: () => undefined,
      asking: () => undefined,
      unwanted: ({ value }) => told.push(value),
      unavailable: (reason) => told.push(reason),
    });
  });

  it('is of no use until the node has taken the subscription, for which it is asked again', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }, BUSY));
    await clock.advance(100);
    expect([channel.canHear, redis.subscribed]).toEqual([false, ['grants', 'grants']]);
    redis.refusal = undefined;
    await clock.advance(100);
    expect([channel.canHear, redis.subscribed.length, clock.timers, told]).toEqual([true, 3, 0, []]);
  });

  it('reads the secret again as well, since a busy node refuses both', async () => {
    const redis = new RedisStub({ protocol: 3 }, BUSY);
    redis.secret = undefined;
    await listen(redis);
    [redis.refusal, redis.secret] = [undefined, '5ec7e7'];
    await clock.advance(100);
    redis.say('gone 7 - lock:a');
    expect(told).toEqual(['gone']);
  });

  it('says that it is of no use where the node refuses it for good afterwards', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }, BUSY));
    redis.refusal = 'NOPERM no permissions';
    await clock.advance(100);
    expect([channel.canHear, clock.timers, told]).toEqual([false, 0, ['NOPERM no permissions']]);
  });

  it('subscribes no more over a connection that has given way to one without RESP3, which it would spoil', async () => {
    await listen(new RedisStub({ protocol: 3 }, BUSY));
    const next = await listen(new RedisStub({ protocol: 2 }));
    await clock.advance(1_000);
    expect([channel.canHear, next.subscribed, clock.timers]).toEqual([false, [], 0]);
  });

  it('leaves no timer when it is closed', async () => {
    const redis = await listen(new RedisStub({ protocol: 3 }, BUSY));
    channel.close();
    await clock.advance(1_000);
    expect([redis.subscribed.length, clock.timers, told]).toEqual([1, 0, []]);
  });
});
