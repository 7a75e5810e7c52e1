import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HostilePool } from '../../support/hostile-pool.js';
import { RedisPool } from '../../support/redis-pool.js';

const FORGED = 'ERR \u001b[31m\u009b2J\u202e\u200b\r[Nest] 1 - LOG all is well \u0007';

describe('the text of a node', () => {
  let good: RedisPool;
  let pool: HostilePool;
  beforeAll(async () => void (good = await RedisPool.start(2)));
  afterAll(() => good.stop());
  afterEach(() => pool.stop());

  it.each(['hello', 'eval', 'evalsha', 'info', 'get', 'subscribe'])(
    'in an error of 100 kB for %s costs little, and 500 characters of it are kept',
    async (command) => {
      const before = process.cpuUsage();
      const error = `-ERR ${' '.repeat(100_000)}x\r\n`;
      pool = await HostilePool.beside(good, ([name]) => (name === command ? error : undefined));
      await pool.locksGoOn();
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
      await expectShortReasons();
    },
  );

  it.each(['hello', 'eval', 'evalsha', 'info', 'get', 'subscribe'])(
    'in an error for %s can neither forge lines nor control a terminal',
    async (command) => {
      const error = `-${FORGED.replace('\r', '')}${'\u2028forged '.repeat(500)}\r\n`;
      pool = await HostilePool.beside(good, ([name]) => (name === command ? error : undefined));
      await pool.locksGoOn();
      await expectShortReasons();
    },
  );

  it.each(['h', '!'])('in an answer "%s" can neither forge lines nor control a terminal', async (letter) => {
    const text = FORGED.repeat(1_000);
    const words = letter === 'h' ? ':500\r\n' : '';
    const reply = `*${letter === 'h' ? 3 : 2}\r\n$1\r\n${letter}\r\n${words}$${Buffer.byteLength(text)}\r\n${text}\r\n`;
    pool = await HostilePool.beside(good, ([name]) => (name === 'evalsha' ? reply : undefined));
    await pool.locksGoOn();
    await expectShortReasons();
  });

  async function expectShortReasons(): Promise<void> {
    const { nodes } = await pool.client.redlock.status();
    const reasons = [...pool.client.events, ...nodes].flatMap((one) =>
      'reason' in one && one.reason ? [one.reason] : [],
    );
    for (const reason of reasons) {
      expect(reason.length).toBeLessThan(700);
      expect(reason).toMatch(/^[ -~]*$/);
    }
  }
});
