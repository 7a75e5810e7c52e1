import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import type { AcquireAnswer, YieldAnswer } from '../../../lib/core/port/lock-node.js';
import { OwnClaim } from '../../../lib/core/quorum/own-claim.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { realParts } from '../../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';

describe('a node without grants, to which a vote is yielded', () => {
  let server: RedisServer;
  let node: RedisNode;
  beforeEach(async () => {
    server = await startRedisServer();
    const { host, port } = server;
    const clock = new SystemClock();
    const [address] = toAddresses([{ host, port, protocol: 2 }]);
    node = new RedisNode(address!, new BatchEncoder('', TRUSTING, clock), realParts(clock));
    await node.open(() => undefined);
  });
  afterEach(async () => {
    await node.close();
    await server.stop();
  });

  it('has no vote that counts until it has answered, since the release may come to it behind a later question', async () => {
    const claim = new OwnClaim(['a'], 'ours');
    await new Promise((resolve) => node.acquire(new SingleCall<AcquireAnswer>(claim, 5_000, resolve), 0));
    const yielded = new Promise((resolve) => node.yield(new SingleCall<YieldAnswer>(claim, 0, resolve), 0));
    expect(claim.isDoubtfulAt(0)).toBe(true);
    await expect(yielded).resolves.toMatchObject({ kind: expect.stringMatching(/^(passed|gone)$/) });
    expect(claim.isDoubtfulAt(0)).toBe(false);
  });
});
