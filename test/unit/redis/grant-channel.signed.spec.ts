import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Claim } from '../../../lib/core/port/claim.js';
import type { Moment } from '../../../lib/core/time/clock.js';
import { GrantChannel } from '../../../lib/redis/grant-channel.js';
import type { Reply } from '../../../lib/redis/connection/wire/wire-command.js';
import { RedisStub } from '../../support/channel-stub.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const SECRET = '5ec7e7';
const OTHER = '07e7';
const GRANT = 'ours 7 - lock:a';
const SAYS_NOTHING: Reply = { ok: true, value: 1 };
const saying = (secret: string): Reply => ({ ok: true, value: ['h', 500, 'owner', [secret], 1_795_000_000_456] });

describe('a grant on a channel', () => {
  const claim = new Claim(['a'], 'ours');
  const granted = { claim, grant: { fence: 7, oldest: Infinity }, since: undefined as Moment | undefined };
  let told: unknown[];
  let now: Moment | undefined;
  let asking: boolean;
  let channel: GrantChannel;
  let redis: RedisStub;

  beforeEach(() => {
    [told, now, asking] = [[], undefined, false];
    channel = new GrantChannel({ channel: 'grants', keyPrefix: 'lock:' }, new VirtualClock(), {
      granted: (one, { fence, oldest }, since) => told.push({ claim: one, grant: { fence, oldest }, since }),
      asking: () => (asking ? { claim, since: { monotonic: 9, wall: 9 } } : undefined),
      notBefore: () => now,
      unwanted: ({ value }) => told.push(`unwanted: ${value}`),
      unavailable: (reason) => told.push(reason),
    });
    redis = new RedisStub({ protocol: 3 });
  });

  /** On a connection to a node with this secret, undefined where nobody has waited on it so far. */
  const listen = async (secret: string | undefined): Promise<void> => {
    redis.secret = secret;
    channel.listen(redis as unknown as Redis);
    await setImmediate();
  };
  const reply = (value: Reply): void => channel.aroundReply(value, () => told.push('told'));

  it.each([
    ['without a signature', GRANT],
    ['without a signature, as former versions told them', 'ours 7 1795 lock:a'],
    ['with one of another secret', `${'0'.repeat(40)} ${GRANT}`],
    ['which is none', 'anything'],
    ['that is empty', ''],
  ])('%s comes from no node: it does not count, and nothing is given back', async (_, message) => {
    await listen(SECRET);
    for (const waits of [true, false]) {
      if (waits) channel.expect(claim);
      else channel.forget(claim);
      redis.publish(message);
      reply(saying(SECRET));
    }
    expect(told).toEqual(['told', 'told']);
  });

  it.each([' lock:b', ' 1', ' '])('with "%s" added to its text is no grant', async (more) => {
    await listen(SECRET);
    channel.expect(claim);
    let message = '';
    redis.on('message', (_channel: string, text: string) => (message = text));
    redis.say(GRANT);
    redis.publish(message + more);
    reply(SAYS_NOTHING);
    expect(told).toEqual([granted, 'told']);
  });

  it('counts if it is signed by the secret that the node kept for later waiters', async () => {
    await listen(SECRET);
    channel.expect(claim);
    redis.say(GRANT);
    expect(told).toEqual([granted]);
  });

  it('that comes before the secret counts once a reply has said that, and as old as it was', async () => {
    await listen(undefined);
    now = { monotonic: 5, wall: 5 };
    redis.say(GRANT, SECRET);
    channel.expect(claim);
    now = { monotonic: 50, wall: 50 };
    reply(saying(SECRET));
    expect(told).toEqual(['told', { ...granted, since: { monotonic: 5, wall: 5 } }]);
  });

  it('that comes before the reply to its waiter counts from the time at which the question was sent', async () => {
    await listen(undefined);
    now = { monotonic: 5, wall: 5 };
    asking = true;
    redis.say(GRANT, SECRET);
    asking = false;
    channel.expect(claim);
    reply(saying(SECRET));
    expect(told).toEqual(['told', { ...granted, since: { monotonic: 9, wall: 9 } }]);
  });

  it.each([
    ['says another secret', saying(OTHER)],
    ['says none', SAYS_NOTHING],
    ['is an error', { ok: false, reason: 'ERR', sent: true } as const],
  ])('that the next reply does not prove, since that %s, counts never', async (_, first) => {
    await listen(undefined);
    channel.expect(claim);
    redis.say(GRANT, SECRET);
    reply(first);
    reply(saying(SECRET));
    expect(told).toEqual(['told', 'told']);
  });

  it('counts once: a repeated message only shows that a listener has copied it', async () => {
    await listen(SECRET);
    channel.expect(claim);
    for (const fence of [7, 7, 8, 7, 8, 5]) redis.say(`ours ${fence} - lock:a`);
    expect(told).toMatchObject([7, 8, 5].map((fence) => ({ claim, grant: { fence } })));
  });

  it('is no more than one of a thousand that wait for proof', async () => {
    await listen(undefined);
    channel.expect(claim);
    for (let fence = 1; fence <= 1_500; fence += 1) redis.say(`ours ${fence} - lock:a`, SECRET);
    reply(saying(SECRET));
    expect(told).toHaveLength(1 + 1_000);
  });

  it('counts by the latest secret of a node that was emptied', async () => {
    await listen(SECRET);
    channel.expect(claim);
    reply(saying(OTHER));
    redis.say(GRANT, SECRET);
    redis.say(GRANT, OTHER);
    expect(told).toEqual(['told', granted]);
  });

  it('counts on a new connection by what the node keeps, or else by what it has said before', async () => {
    await listen(SECRET);
    channel.expect(claim);
    await listen(OTHER);
    redis.say(GRANT, OTHER);
    await listen(undefined);
    redis.say('ours 8 - lock:a', OTHER);
    expect(told).toEqual([granted, { ...granted, grant: { fence: 8, oldest: Infinity } }]);
  });

  it('is not proved by what a node kept before it said something else', async () => {
    await listen(SECRET);
    channel.expect(claim);
    channel.listen(redis as unknown as Redis);
    reply(saying(OTHER));
    await setImmediate();
    redis.say(GRANT, SECRET);
    redis.say(GRANT, OTHER);
    expect(told).toEqual(['told', granted]);
  });

  it('that came on the connection before is forgotten with that', async () => {
    await listen(undefined);
    channel.expect(claim);
    redis.say(GRANT, SECRET);
    await listen(SECRET);
    reply(saying(SECRET));
    expect(told).toEqual(['told']);
  });

  it('that no claim waits for any more is given back if it is signed', async () => {
    await listen(SECRET);
    redis.say(GRANT);
    expect(told).toEqual(['unwanted: ours']);
  });
});
