import { tracingChannel } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { withRedis } from '../../support/redis-client.js';
import { RedisPool } from '../../support/redis-pool.js';

let pool: RedisPool;
let ended: string[];
beforeAll(async () => {
  pool = await RedisPool.start(3);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => pool.stop());

/** As OpenTelemetry does it: in place of the functions that settle a command are others, which call them without the command. */
function traceBySettling(): void {
  ended = [];
  const { sendCommand } = Redis.prototype;
  jest.spyOn(Redis.prototype, 'sendCommand').mockImplementation(function (this: Redis, command, stream) {
    const sent = sendCommand.call(this, command, stream);
    const { name, resolve, reject } = command;
    command.resolve = (reply) => {
      ended.push(name);
      resolve(reply);
    };
    command.reject = (error) => {
      ended.push(`${name} ${error.message.split(' ')[0]}`);
      reject(error);
    };
    return sent;
  });
}

async function lockTwice(): Promise<void> {
  const { redlock } = await pool.client();
  const resource = pool.resource();
  for (let turn = 0; turn < 2; turn += 1) {
    const lock = await redlock.acquire(resource, { waitTimeout: 5_000 });
    await lock.release();
  }
}

it('locks when a tracing tool is told of replies first', async () => {
  traceBySettling();
  await lockTwice();
  await eventually(() => expect(ended.filter((name) => name === 'evalsha').length).toBeGreaterThanOrEqual(12));
});

it('locks when a tracing tool is told first that a node does not know the script', async () => {
  const { redlock } = await pool.client();
  traceBySettling();
  await Promise.all(pool.urls.map((url) => withRedis(url, (redis) => redis.script('FLUSH'))));
  const lock = await redlock.acquire(pool.resource(), { waitTimeout: 5_000 });
  await lock.release();
  expect(ended.filter((name) => name === 'evalsha NOSCRIPT').length).toBeGreaterThanOrEqual(2);
});

it('tells the tracing channel of ioredis when a command began and when it was answered', async () => {
  const told: string[] = [];
  const note = (what: string) => (message: object) =>
    void told.push(`${what} ${(message as { command: string }).command}`);
  const listener = { start: note('start'), asyncEnd: note('end') };
  const channel = tracingChannel<string, object>('ioredis:command');
  channel.subscribe(listener as never);
  try {
    await lockTwice();
    await eventually(() => expect(told.filter((what) => what === 'end evalsha').length).toBeGreaterThanOrEqual(12));
  } finally {
    channel.unsubscribe(listener as never);
  }
  expect(told.filter((what) => what === 'start evalsha').length).toBeGreaterThanOrEqual(12);
});
