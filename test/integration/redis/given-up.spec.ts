import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim, type Grant } from '../../../lib/core/port/claim.js';
import type { AcquireAnswer } from '../../../lib/core/port/lock-node.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';

/** Gives commands up that the node may do all the same; refused in the options of users. */
const GIVING_UP = { commandTimeout: 300 };

describe('a command that the client library gave up', () => {
  let server: RedisServer;
  let proxy: FaultProxy;
  let node: RedisNode;
  beforeEach(async () => {
    server = await startRedisServer();
    proxy = await startFaultProxy(server);
    const { host, port, url } = proxy;
    const clock = new SystemClock();
    const address = { name: url, identity: url, options: { host, port, ...GIVING_UP } };
    node = new RedisNode(address, new BatchEncoder('', TRUSTING, clock), realParts(clock));
    await node.open(() => undefined);
  });
  afterEach(async () => {
    await node.close();
    await proxy.close();
    await server.stop();
  });

  const acquire = (claim: Claim): Promise<AcquireAnswer> =>
    new Promise((resolve) => node.acquire(new SingleCall(claim, 60_000, resolve), 0));
  const waiting = (): Promise<number> => withRedis(server.url, (redis) => redis.zcard('a~waiters'));

  it('is no answer: a grant that was on its way before it was sent does not look younger than it is', async () => {
    const grants: Grant[] = [];
    const place = {
      arrived: 1,
      ttl: 500,
      isWaiting: true,
      granted: (_node: string, grant: Grant) => void grants.push(grant),
    };
    const [holder, waiter] = [new Claim(['a'], 'holder'), new Claim(['a'], 'waiter', place)];
    await acquire(holder);
    await expect(acquire(waiter)).resolves.toMatchObject({ kind: 'held' });
    await eventually(async () => expect(await waiting()).toBe(1));
    proxy.pauseReplies();
    node.release(new SingleCall(holder, 0), 0);
    await eventually(async () => expect(await waiting()).toBe(0));
    const granted = performance.now();
    await expect(acquire(new Claim(['b'], 'other'))).resolves.toMatchObject({ kind: 'unknown', sent: true });
    proxy.resume();
    await eventually(() => expect(grants).toHaveLength(1));
    expect(grants[0]!.since.monotonic).toBeLessThan(granted);
  });
});
