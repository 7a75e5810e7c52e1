import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BundledCli } from '../../support/bundled-cli.js';
import { commandLine } from '../../support/command-line.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

const VALUE = 'orders@web-1#4711:c2VjcmV0.1';
/** Somebody may write anything under the key of a lock. */
const FORGED = 'orders\u202E@web-1.\u001B]0;owned\u0007#4711:c2VjcmV0.1';
const NAME = 'order:\u009B2J\u202E\u200B\u001B[31m';

let cli: BundledCli;
let servers: RedisServer[];
beforeAll(async () => {
  [cli, servers] = await Promise.all([BundledCli.make(), startRedisServers(3)]);
  const plant = async ({ url }: RedisServer): Promise<void> => {
    await vouchFor(url, 30_000, 'lock:');
    await withRedis(url, async (redis) => {
      await redis.set(`lock:${NAME}`, VALUE, 'PX', 600_000);
      await redis.set('lock:foreign', '\u001B[31m', 'PX', 600_000);
      await redis.hset('lock:a-hash\u0085', 'a', '1');
      await redis.set('lock:endless\u2066', 'x');
      await redis.set(`lock:${'a-very-long-name.'.repeat(12)}`, VALUE, 'PX', 600_000);
      await redis.zadd(`lock:${NAME}~queue`, 1, 'lock:~hand-off:gone\u001B[2J');
      await redis.hset(`lock:${NAME}~places`, 'lock:~hand-off:gone\u001B[2J', `${FORGED} 1000 1 1 a`);
      await redis.set('lock:forged', FORGED, 'PX', 600_000);
    });
  };
  await Promise.all(servers.map(plant));
}, 60_000);
afterAll(async () => {
  await stopAll();
  await cli.remove();
});

const env = () => ({
  REDLOCK_NODES: [...servers.map(({ url }) => url), 'redis://127.0.0.1:1', 'redis://127.0.0.1:2'].join(),
});
const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['doctor'],
  ['ls'],
  ['ls', `${NAME}*`],
  ['break', NAME, '--yes', '--value', 'other'],
  ['break', 'foreign', '--yes', '--value', 'other'],
  ['--help'],
  ['ls', '--help'],
  ['doctor', '--help'],
];

describe('what a terminal shows', () => {
  it.each([80, 60])(
    'has no line that is longer than its %i columns',
    async (columns) => {
      const terminal = await cli.terminal(columns);
      for (const { out } of await Promise.all(COMMANDS.map((args) => cli.run(args, env(), terminal)))) {
        const lines = out.split('\n');
        expect(lines.length).toBeGreaterThan(1);
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
      }
    },
    60_000,
  );

  it.each([80, 60])('breaks no usual word at %i columns', async (columns) => {
    const terminal = await cli.terminal(columns);
    for (const [args, words] of [
      [['status'], ['LATENCY', 'ECONNREFUSED', servers[0]!.url, '127.0.0.1:2']],
      [
        ['ls', 'foreign'],
        ['foreign', 'HOLDER', 'library', 'TTL LEFT PER NODE', '3/5', '9 min', 'lock'],
      ],
    ] as const) {
      const { out } = await cli.run(args, env(), terminal);
      for (const word of words) expect(out).toContain(word);
    }
  });

  it('is not cut if the output goes elsewhere', async () => {
    const { out } = await cli.run(['ls'], env());
    expect(out).toContain('a-very-long-name.'.repeat(12));
  });

  it('has no control characters, nor has JSON', async () => {
    const all = COMMANDS.flatMap((args) => [args, [...args, '--json']]);
    for (const { out, err } of await Promise.all(all.map((args) => cli.run(args, env()))))
      for (const line of `${out}${err}`.split('\n')) expect(line).toMatch(/^[ -~]*$/);
  }, 60_000);

  it('shows by its number what it must not print, and the same name again in JSON', async () => {
    const { out } = await cli.run(['ls'], env());
    expect(out).toContain('order:\\u{9b}2J\\u{202e}\\u{200b}\\u{1b}[31m');
    expect(out).toContain('orders on web-1, pid 4711');
    const json = await cli.run(['ls', '--json'], env());
    const { locks } = JSON.parse(json.out) as { locks: { resource: string }[] };
    expect(locks.map(({ resource }) => resource)).toContain(NAME);
  });
});

describe('a password', () => {
  const SECRETS = ['s3cr', 'w0rd'];
  const quiet = ({ out, err }: { readonly out: string; readonly err: string }) => {
    for (const secret of SECRETS) expect(`${out}${err}`).not.toContain(secret);
  };

  it.each([
    ['a comma', 'redis://u:s3cr,w0rd@127.0.0.1:1'],
    ['a comma and no user', 'redis://:s3cr,w0rd@127.0.0.1:1'],
    ['an @ and a comma', 'redis://u:s3cr@w0rd,s3cr@127.0.0.1:1'],
    ['an @, a space and a comma', 'redis://u:a@s3cr w0rd,x@127.0.0.1:1'],
    ['a slash', 'redis://u:s3cr/w0rd@127.0.0.1:1'],
    ['a stray percent sign', 'redis://u:s3cr%w0rd@127.0.0.1:1'],
    ['a #', 'redis://u:s3cr#w0rd@127.0.0.1:1'],
  ])('with %s is never shown, and the error says what to do', async (_case, url) => {
    for (const [args, more] of [
      [['status', '--nodes', url], {}],
      [['ls', '--json'], { REDLOCK_NODES: url }],
      [['status', '--nodes', `redis://127.0.0.1:2,${url}`], {}],
    ] as const) {
      const ended = await commandLine(args, { env: more });
      quiet(ended);
      expect(ended.code).toBe(64);
      expect(ended.err).toMatch(/nodes\[\d\] is malformed/);
      if (url.includes(',')) expect(ended.err).toContain('write %2C for a comma in a password');
    }
  });

  it.each([
    [['status', '--node=redis://u:s3cr-w0rd@h']],
    [['status', '--timeout', 'redis://u:s3cr-w0rd@h']],
    [['status', '--timeout=redis://u:s3cr-w0rd@h']],
    [['redis://u:s3cr-w0rd@h', 'status']],
    [['status', 'redis://u:s3cr-w0rd@h']],
    [['status', '--nodes', 'redis://u:s3cr', 'w0rd@h']],
    [['status', '--nodes', 'redis://a', '-w0rd@h']],
  ])('is never shown as an argument in the wrong place: %j', async (args) => {
    const ended = await commandLine(args);
    quiet(ended);
    expect(ended.code).toBe(64);
    expect(ended.err).not.toBe('');
  });

  it('is accepted and never shown if it is percent-encoded, whatever the server answers', async () => {
    const server = await startRedisServer({ args: ['--requirepass', 's3cr,w0rd@/'] });
    await vouchFor(server.url.replace('//', '//:s3cr%2Cw0rd%40%2F@'), 30_000, 'lock:');
    const url = server.url.replace('//', '//:s3cr%2Cw0rd%40%2F@');
    const well = await cli.run(['status'], { REDLOCK_NODES: url });
    quiet(well);
    expect(well).toMatchObject({ code: 0, out: expect.stringContaining('1 of 1 nodes vote') });
    const wrong = await cli.run(['status', '--json'], { REDLOCK_NODES: url.replace('%2F', 'x') });
    quiet(wrong);
    expect(wrong).toMatchObject({ code: 2, out: expect.stringContaining('WRONGPASS') });
  });

  it('is not in the words of a server that repeats what it does not know', async () => {
    const server = await startRedisServer({ args: ['--rename-command', 'HELLO', '', '--rename-command', 'AUTH', ''] });
    const nodes = { REDLOCK_NODES: server.url.replace('//', '//u:s3cr-w0rd@') };
    const commands = [['status'], ['doctor'], ['ls'], ['break', 'a', '--yes', '--value', 'v']];
    const all = commands.flatMap((args) => [args, [...args, '--json']]);
    for (const ended of await Promise.all(all.map((args) => cli.run(args, nodes)))) {
      quiet(ended);
      expect(ended.code).toBe(2);
      expect(ended.out).toMatch(/unknown command/i);
    }
  }, 60_000);
});
