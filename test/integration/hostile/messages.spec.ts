import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bulk } from '../../support/hostile-node.js';
import { HostilePool } from '../../support/hostile-pool.js';
import { RedisPool } from '../../support/redis-pool.js';

const message = (...parts: string[]): string => `>${parts.length}\r\n${parts.join('')}`;

describe('a node that sends what nobody has asked for', () => {
  let good: RedisPool;
  let pool: HostilePool;
  beforeAll(async () => void (good = await RedisPool.start(2)));
  afterAll(() => good.stop());
  let warnings: Error[];
  const warn = (warning: Error): void => void warnings.push(warning);
  beforeEach(async () => {
    warnings = [];
    process.on('warning', warn);
    pool = await HostilePool.beside(good);
    await pool.connected();
  });
  afterEach(async () => {
    process.off('warning', warn);
    await pool.stop();
  });

  it.each([
    ['a message without a kind', message('_\r\n')],
    ['a message of lists', message('*1\r\n_\r\n')],
    ['a message without parts', message(bulk('message'))],
    ['a message of nulls', message(bulk('message'), '_\r\n', '_\r\n')],
    ['a message of numbers', message(bulk('message'), ':1\r\n', ':2\r\n')],
    ['a message of lists in lists', message(bulk('message'), '*1\r\n*0\r\n', bulk('a'))],
    ['a message in RESP2', `*3\r\n${bulk('message')}_\r\n_\r\n`],
    ['a message of a pattern', message(bulk('pmessage'), '_\r\n')],
    ['a message of a shard', message(bulk('smessage'), '_\r\n', '_\r\n')],
    ['a subscription', message(bulk('subscribe'), '_\r\n', ':1\r\n')],
    ['a subscription that nobody made', message(bulk('subscribe'), bulk('a'), ':1\r\n')],
    ['the end of a subscription', message(bulk('unsubscribe'), '_\r\n', '_\r\n')],
    ['an answer', ':1\r\n'],
    ['a null', '_\r\n'],
    ['an error', '-ERR nobody asked\r\n'],
  ])('like %s, is left and tried again later, and locks go on', async (_what, bytes) => {
    const again = pool.leftAndTriedAgain();
    pool.hostile.push(bytes);
    await again;
    await pool.locksGoOn();
    expect(pool.told('node-down')).toEqual([expect.stringMatching(/^it sent an answer/)]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['messages', message(bulk('message'), bulk('a'), bulk('b'))],
    ['messages of another kind', message(bulk('invalidate'), '*1\r\n$1\r\na\r\n')],
    ['answers', ':1\r\n'],
    ['errors', '-ERR nobody asked\r\n'],
  ])('like a flood of %s, is left before the event loop stalls', async (_what, bytes) => {
    const again = pool.leftAndTriedAgain();
    const before = process.cpuUsage();
    pool.hostile.push(bytes.repeat(200_000));
    await again;
    await pool.locksGoOn();
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
    expect(warnings).toEqual([]);
  });

  it('is left for longer each time, so that neither it nor the log is busy', async () => {
    pool.hostile.answering = ([name]) => (name === 'evalsha' ? ':1\r\n'.repeat(100) : undefined);
    const until = performance.now() + 3_000;
    while (performance.now() < until) await pool.locksGoOn(20);
    expect(pool.hostile.connections).toBeGreaterThan(1);
    expect(pool.hostile.connections).toBeLessThan(6);
    expect(pool.told('node-down').length).toBeLessThan(6);
    expect(warnings).toEqual([]);
  });
});
