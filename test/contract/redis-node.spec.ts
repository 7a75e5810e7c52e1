import { describe } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { SystemClock } from '../../lib/core/time/system-clock.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { BatchEncoder } from '../../lib/redis/batch/batch-encoder.js';
import { realParts } from '../../lib/redis/connection/node-parts.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { ownerOf, plantKey } from '../support/foreign-keys.js';
import { connectRedis } from '../support/redis-client.js';
import { startRedisServer } from '../support/redis-server.js';
import type { NodeUnderTest } from './contract-suite.js';
import { describeLockNode } from './lock-node.contract.js';
import { TRUSTING } from '../support/trust.js';

const PREFIX = 'lock:';

/** A node takes another path if no claim waits for anything when a case begins than if one does. */
const CALM = [true, false];

describe.each(CALM)('RedisNode, calm: %p', (isCalm) => describeLockNode('RedisNode', () => setUp(isCalm)));

async function setUp(isCalm: boolean): Promise<NodeUnderTest> {
  const server = await startRedisServer();
  const clock = new SystemClock();
  const foreign = await connectRedis(server.url);
  const connect = async (): Promise<RedisNode> => {
    const node = new RedisNode(
      toAddresses([server.url])[0]!,
      new BatchEncoder(PREFIX, TRUSTING, clock),
      realParts(clock),
    );
    await node.open(() => undefined);
    return node;
  };
  const node = await connect();
  return {
    node,
    plant: (resource, value, ttl) => plantKey(foreign, PREFIX + resource, value, ttl),
    read: (resource) => ownerOf(foreign, PREFIX + resource),
    now: () => clock.now(),
    pass: (ms) => setTimeout(ms),
    begin: async () => {
      await (isCalm ? foreign.del(`${PREFIX}~waiting`) : foreign.set(`${PREFIX}~waiting`, '1'));
    },
    process: async () => {
      const other = await connect();
      return { node: other, die: () => other.close() };
    },
    stop: async () => {
      await node.close();
      foreign.disconnect();
      await server.stop();
    },
  };
}
