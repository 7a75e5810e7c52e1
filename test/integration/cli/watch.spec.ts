import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandLine } from '../../support/command-line.js';
import { RedisPool } from '../../support/redis-pool.js';

describe('nestjs-redlock watch', () => {
  let pool: RedisPool;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    await pool.plant(0, 'lock:a', { ttl: 60_000 });
  });
  afterAll(() => pool.stop());

  const watch = async (looks: number, args: string[], isTerminal = false) => {
    const ending = new AbortController();
    const seen: string[] = [];
    const { code } = await commandLine(['watch', ...args, '--interval', '1', '--nodes', pool.urls.join()], {
      interrupted: ending.signal,
      isTerminal,
      sees: (text) => {
        seen.push(text);
        if (seen.length === looks) ending.abort();
      },
    });
    return { code, seen };
  };

  it('looks again and again until it is interrupted, and ends well', async () => {
    const { code, seen } = await watch(3, []);
    expect(code).toBe(0);
    expect(seen).toHaveLength(3);
    for (const text of seen) {
      expect(text).toMatch(/3 of 3 nodes vote.*RESOURCE.*a foreign lock/s);
      expect(text).not.toContain('\u001B');
    }
  });

  it('clears a terminal before each look', async () => {
    const { seen } = await watch(2, [], true);
    for (const text of seen) expect(text.startsWith('\u001B[H\u001B[2J')).toBe(true);
  });

  it('says each look in one line for machines', async () => {
    const { seen } = await watch(2, ['--json']);
    for (const text of seen) {
      expect(text.split('\n')).toHaveLength(2);
      expect(JSON.parse(text)).toMatchObject({ votes: 3, locks: [{ resource: 'a' }], at: expect.any(String) });
    }
  });

  it('sees a node that is gone, and that is back', async () => {
    const ending = new AbortController();
    const votes: number[] = [];
    let task: Promise<void> = Promise.resolve();
    await commandLine(['watch', '--json', '--interval', '1', '--nodes', pool.urls.join()], {
      interrupted: ending.signal,
      sees: (text) => {
        const look = JSON.parse(text) as { votes: number };
        if (votes.length === 0) task = pool.servers[1]!.kill();
        if (votes.at(-1) === 3 && look.votes === 2) task = task.then(() => pool.servers[1]!.restart());
        if (votes.includes(2) && look.votes === 3) ending.abort();
        votes.push(look.votes);
      },
    });
    await task;
    expect(votes).toContain(2);
    expect([votes[0], votes.at(-1)]).toEqual([3, 3]);
  });
});
