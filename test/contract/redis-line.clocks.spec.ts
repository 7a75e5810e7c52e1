import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../lib/core/port/single-call.js';
import { Claim } from '../../lib/core/port/claim.js';
import type { AcquireAnswer, ReleaseAnswer } from '../../lib/core/port/lock-node.js';
import { SystemClock } from '../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../lib/redis/batch/batch-encoder.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { WaiterStub } from '../support/waiter-stub.js';
import { TRUSTING } from '../support/trust.js';

describe('the line of a RedisNode, with waiters that do not know the time of the node,', () => {
  const clock = new SystemClock();
  let server: RedisServer;
  let node: RedisNode;
  let holder: Claim;
  let names = 0;
  beforeAll(async () => void (server = await startRedisServer()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    node = new RedisNode(toAddresses([server.url])[0]!, new BatchEncoder('', TRUSTING, clock), realParts(clock));
    await node.open(() => undefined);
    holder = new Claim([`resource-${(names += 1)}`], 'holder');
    await acquire(holder);
  });
  afterEach(() => node.close());

  const acquire = (claim: Claim) =>
    new Promise<AcquireAnswer>((resolve) => node.acquire(new SingleCall(claim, 60_000, resolve), 0));
  const release = (claim: Claim) =>
    new Promise<ReleaseAnswer>((resolve) => node.release(new SingleCall(claim, 60_000, resolve), 0));
  /** A waiter that arrived `later` ms from now, and takes the clock of the node to be `off` by so many ms. */
  const lineUp = async (later: number, off: number): Promise<WaiterStub> => {
    const { monotonic, wall } = clock.now();
    const [arrived, arrivedMonotonic] = [wall + later + off, monotonic + later].map((ms) => Math.round(ms * 1_000));
    const waiter = new WaiterStub(holder.resources[0]!, {
      arrived: arrived!,
      arrivedMonotonic,
      ttl: 60_000,
      value: `${later}`,
    });
    expect(await acquire(waiter.claim)).toMatchObject({ kind: 'held' });
    return waiter;
  };
  const expectOrder = async (...waiters: readonly WaiterStub[]): Promise<void> => {
    let before = holder;
    for (const waiter of waiters) {
      await release(before);
      await waiter.told();
      before = waiter.claim;
    }
  };

  it.each([60_000, 600, -600, -60_000])(
    'is in the order of the clock of the node when they are off by %i ms',
    async (off) => {
      const wrong = await lineUp(Math.sign(off) * 200, off);
      const right = await lineUp(0, 0);
      // Asking again does not cost the place.
      await acquire(wrong.claim);
      await (off < 0 ? expectOrder(wrong, right) : expectOrder(right, wrong));
    },
  );

  it.each([60_000, 600, -600, -60_000])('is not reversed when they are off by %i ms', async (off) => {
    const wrong = await lineUp(Math.sign(off) * -200, off);
    const right = await lineUp(0, 0);
    await (off < 0 ? expectOrder(right, wrong) : expectOrder(wrong, right));
  });

  it.each([400, -400])(
    'follows the times that they state when they are off by %i ms, so that all nodes agree',
    async (off) => {
      const one = await lineUp(0, off);
      const other = await lineUp(off / 2, 0);
      await (off < 0 ? expectOrder(one, other) : expectOrder(other, one));
    },
  );
});
