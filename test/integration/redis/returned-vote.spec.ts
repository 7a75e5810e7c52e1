import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import type { AcquireAnswer } from '../../../lib/core/port/lock-node.js';
import { OwnClaim } from '../../../lib/core/quorum/own-claim.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { ClockedServer } from '../../support/clock-shim.js';
import { withRedis } from '../../support/redis-client.js';
import { vouchFor } from '../../support/vouch.js';
import { WaiterStub } from '../../support/waiter-stub.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const MAX_TTL = 10_000;
/** Ms by which the clock of the node is set: more than noise, and not so much that the clocks are too far apart. */
const STEP = 700;

describeWithClocks('a node that has granted, and whose clock was set before it says so again', () => {
  let server: ClockedServer;
  let node: RedisNode;
  let waiter: WaiterStub;
  beforeEach(async () => {
    server = await ClockedServer.start();
    await vouchFor(server.url, MAX_TTL);
    const clock = new SystemClock();
    const trust = { maxTtl: MAX_TTL, restartQuarantine: true };
    node = new RedisNode(toAddresses([server.url])[0]!, new BatchEncoder('', trust, clock), realParts(clock));
    await node.open(() => undefined);
    waiter = await granted();
  });
  afterEach(async () => {
    await node.close();
    await server.stop();
  });

  const acquire = (claim: OwnClaim): Promise<AcquireAnswer> =>
    new Promise((resolve) => node.acquire(new SingleCall(claim, MAX_TTL, resolve), 0));
  /** Returns a waiter in line to which the node has just given the resource `a`. */
  const granted = async (): Promise<WaiterStub> => {
    const holder = new OwnClaim(['a'], 'holder');
    await acquire(holder);
    const next = new WaiterStub('a', { arrived: 1, ttl: MAX_TTL, value: 'waiter' });
    await expect(acquire(next.claim)).resolves.toMatchObject({ kind: 'held' });
    node.release(new SingleCall(holder, 0), 0);
    await next.told();
    return next;
  };
  /** Returns the owner of `a` once the node has answered the waiter, and has done all that it was asked to because of the answer. */
  const ownerAfterNextAnswer = async (): Promise<string | null> => {
    await server.step(STEP);
    await expect(acquire(waiter.claim)).resolves.toMatchObject({ kind: 'quarantined' });
    await acquire(new OwnClaim(['b'], 'another'));
    return withRedis(server.url, (redis) => redis.get('a'));
  };

  it('has the vote back, and the waiter is told that the earlier one does not count', async () => {
    await expect(ownerAfterNextAnswer()).resolves.toBeNull();
    expect(waiter.doubts).toEqual([0]);
  });

  it('has nothing back of a waiter that has its lock by then, and has no vote for it any more', async () => {
    waiter.isWaiting = false;
    await expect(ownerAfterNextAnswer()).resolves.toBe('waiter');
    expect(waiter.claim.isDoubtfulAt(0)).toBe(true);
  });
});
