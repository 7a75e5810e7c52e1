import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { BundledCli } from '../../support/bundled-cli.js';
import { RedisPool } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';

const CLEAR = '\u001B[H\u001B[2J';

let cli: BundledCli;
let pool: RedisPool;
let watching: ChildProcess | undefined;
beforeAll(async () => {
  [cli, pool] = await Promise.all([BundledCli.make(), RedisPool.start(3)]);
  await Promise.all(pool.urls.map((url) => vouchFor(url, 30_000, 'lock:')));
  await pool.plant(0, 'lock:a', { ttl: 600_000 });
}, 60_000);
afterEach(() => void watching?.kill('SIGKILL'));
afterAll(() => Promise.all([pool.stop(), cli.remove()]));

const watch = (args: readonly string[], preload?: string): ChildProcess =>
  (watching = cli.start(['watch', '--interval', '1', ...args], { REDLOCK_NODES: pool.urls.join() }, preload));

/** What is printed until it fits. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const part of child.stdout!.setEncoding('utf8')) {
    text += part;
    if (pattern.test(text)) return text;
  }
  throw new Error(`it has ended: ${text}`);
}

describe('nestjs-redlock watch', () => {
  it('looks again and again until Ctrl-C, which ends with 130', async () => {
    const child = watch([]);
    const text = await printed(child, /(3 of 3 nodes vote[^]*RESOURCE[^]*a foreign lock[^]*){3}/);
    expect(text).not.toContain('\u001B');
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });

  it('ends with 143 at SIGTERM, also between two looks', async () => {
    const child = watch(['--interval', '600000']);
    await printed(child, /a foreign lock/);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  });

  it('clears a terminal before each look, and fits its width', async () => {
    const terminal = await cli.terminal(60);
    const text = await printed(watch([], terminal), /([0-9]+ of 3 nodes vote[^]*){3}/);
    const looks = text.split(CLEAR).slice(1);
    expect(looks.length).toBeGreaterThan(1);
    for (const line of text.replaceAll(CLEAR, '').split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('says each look in one line for machines, and sees a node that is gone and back', async () => {
    const votes: number[] = [];
    let task: Promise<void> = Promise.resolve();
    for await (const line of createInterface({ input: watch(['--json']).stdout! })) {
      const look = JSON.parse(line) as { votes: number };
      expect(look).toMatchObject({ at: expect.any(String), locks: [{ resource: 'a' }], more: false });
      if (votes.length === 0) task = pool.servers[1]!.kill();
      if (votes.at(-1) === 3 && look.votes === 2)
        task = task.then(() => pool.servers[1]!.restart()).then(() => vouchFor(pool.urls[1]!, 30_000, 'lock:'));
      votes.push(look.votes);
      if (votes.includes(2) && look.votes === 3) break;
    }
    await task;
    expect(votes).toContain(2);
    expect([votes[0], votes.at(-1)]).toEqual([3, 3]);
  });

  it('goes on with the nodes that answer while one is frozen', async () => {
    await pool.servers[2]!.freeze();
    const text = await printed(watch(['--timeout', '2000']), /(2 of 3 nodes vote[^]*a foreign lock[^]*){2}/);
    expect(text).toMatch(/no answer within 500 ms/);
    await pool.servers[2]!.thaw();
  });
});
