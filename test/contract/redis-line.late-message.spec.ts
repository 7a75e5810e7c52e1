import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../lib/core/port/single-call.js';
import type { AcquireAnswer, ProbeAnswer, ReleaseAnswer } from '../../lib/core/port/lock-node.js';
import { Claim } from '../../lib/core/port/claim.js';
import { SystemClock } from '../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../lib/redis/batch/batch-encoder.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { withRedis } from '../support/redis-client.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { RepliesFirst } from '../support/replies-first.js';
import { TRUSTING } from '../support/trust.js';
import { WaiterStub } from '../support/waiter-stub.js';

describe('the line of a RedisNode that tells of a grant behind the answer, as from version 7.2 on', () => {
  let server: RedisServer;
  let order: RepliesFirst;
  let node: RedisNode;
  beforeAll(async () => {
    server = await startRedisServer();
    order = await RepliesFirst.before(server.port);
    const clock = new SystemClock();
    node = new RedisNode(toAddresses([order.url])[0]!, new BatchEncoder('', TRUSTING, clock), realParts(clock));
    await node.open(() => undefined);
  });
  afterAll(async () => {
    await node.close();
    await order.close();
    await server.stop();
  });

  const acquire = (claim: Claim) =>
    new Promise<AcquireAnswer>((resolve) => node.acquire(new SingleCall(claim, 60_000, resolve), 0));
  const release = (claim: Claim) =>
    new Promise<ReleaseAnswer>((resolve) => node.release(new SingleCall(claim, 60_000, resolve), 0));
  const probed = () => new Promise<ProbeAnswer>((resolve) => node.probe(resolve));
  /** Resolves when what was told is heard, which may be behind one more reply, and when what that led to is answered. */
  const allHeard = async () => {
    await probed();
    await probed();
  };
  const owner = (resource: string) => withRedis(server.url, (redis) => redis.get(resource));
  /** A holder, and a waiter behind it. */
  const contested = async (resource: string): Promise<[Claim, WaiterStub]> => {
    const holder = new Claim([resource], `holder-of-${resource}`);
    await acquire(holder);
    const waiter = new WaiterStub(resource, { arrived: 10, ttl: 60_000, value: `waiter-for-${resource}` });
    expect(await acquire(waiter.claim)).toMatchObject({ kind: 'held' });
    return [holder, waiter];
  };

  it('keeps the vote that one batch asks for again under the value of a waiter that is gone', async () => {
    const [holder, waiter] = await contested('a');
    const again = new Claim(['a'], waiter.claim.value);
    const [, , answer] = await Promise.all([release(holder), release(waiter.claim), acquire(again)]);
    expect(answer).toMatchObject({ kind: 'granted' });
    await allHeard();
    expect([await owner('a'), waiter.grants]).toEqual([again.value, []]);
  });

  it('keeps that vote also where it is one for several resources', async () => {
    const [holder, waiter] = await contested('b');
    const both = new Claim(['c', 'b'], waiter.claim.value);
    const [, , answer] = await Promise.all([release(holder), release(waiter.claim), acquire(both)]);
    expect(answer).toMatchObject({ kind: 'granted' });
    await allHeard();
    expect([await owner('b'), await owner('c')]).toEqual([both.value, both.value]);
  });
});
