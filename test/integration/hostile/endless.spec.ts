import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostilePool } from '../../support/hostile-pool.js';
import { RedisPool } from '../../support/redis-pool.js';

const MEBIBYTE = 1_024 * 1_024;

/** Sends more and more of the same, as fast as it is read. */
function endlessly(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

describe('a node whose answer has no end', () => {
  let good: RedisPool;
  let pool: HostilePool;
  beforeAll(async () => void (good = await RedisPool.start(2)));
  afterAll(() => good.stop());
  let sockets: Set<Socket>;
  beforeEach(() => void (sockets = new Set()));
  afterEach(() => pool.stop());

  it.each([
    ['a text', '$2000000000\r\n', 'a'],
    ['a text of a size that may be', '$8000000\r\n', 'a'],
    ['a line', '+', 'a'],
    ['an error', '-ERR ', 'a'],
    ['a list', '*9999\r\n', '*1\r\n'],
    ['levels', '', '*1\r\n'],
    ['messages', '', '>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n'],
  ])('because it sends %s, is left before it fills the process, and tried again', async (_what, head, rest) => {
    const before = process.memoryUsage();
    pool = await HostilePool.beside(good, ([name], socket) => {
      if (name !== 'evalsha') return undefined;
      if (sockets.has(socket)) return '';
      sockets.add(socket);
      setImmediate(() => endlessly(socket, Buffer.from(rest.repeat(16_384))));
      return head;
    });
    const again = pool.leftAndTriedAgain();
    await pool.locksGoOn();
    await again;
    await pool.locksGoOn();
    const { rss } = process.memoryUsage();
    expect(rss - before.rss).toBeLessThan(300 * MEBIBYTE);
    for (const socket of sockets) expect(socket.bytesWritten).toBeLessThan(64 * MEBIBYTE);
  });
});
