import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { type ConnectionListener, NodeConnection } from '../../../lib/redis/connection/connection.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { commandOf } from '../../../lib/redis/connection/wire/wire-command.js';
import { RedisPool } from '../../support/redis-pool.js';

let pool: RedisPool;
let connection: NodeConnection;
let redis: Redis;
beforeEach(async () => {
  pool = await RedisPool.start(1);
  const listener: ConnectionListener = { ready: async (ready) => void (redis = ready), usable: () => undefined };
  connection = new NodeConnection(toAddresses(pool.urls)[0]!, listener, new SystemClock());
  await connection.open(() => undefined);
});
afterEach(async () => {
  await connection.close();
  await pool.stop();
});

/** For each of three answers, whether it was told before the socket was through with handing on what it had read. */
async function toldAtOnce(): Promise<boolean[]> {
  const told: boolean[] = [];
  let isTold = false;
  const { stream } = redis;
  const push = stream.push.bind(stream);
  stream.push = (chunk, encoding) => {
    const more = push(chunk, encoding);
    told.push(isTold);
    return more;
  };
  for (let ping = 0; ping < 3; ping += 1) {
    isTold = false;
    await new Promise((resolve) => {
      connection.send('ping', commandOf('PING'), (reply) => {
        isTold = true;
        resolve(reply);
      });
    });
  }
  return told;
}

it('an answer is told in the very turn in which it is read', async () => {
  expect(await toldAtOnce()).toEqual([true, true, true]);
});

it('also on a connection that was made again', async () => {
  const ready = once(redis, 'ready');
  redis.disconnect(true);
  await ready;
  expect(await toldAtOnce()).toEqual([true, true, true]);
});
