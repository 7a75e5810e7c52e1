import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { BundledCli, type Ended } from '../../support/bundled-cli.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

/** Ms that a command is given, and that Node may take beside it on a busy machine. */
const TIMEOUT = 4_000;
const START = 6_000;
const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['doctor'],
  ['ls'],
  ['break', 'order:7', '--yes', '--value', 'v'],
];

let cli: BundledCli;
let servers: RedisServer[];
beforeAll(async () => {
  [cli, servers] = await Promise.all([BundledCli.make(), startRedisServers(3)]);
  await Promise.all(servers.map(({ url }) => vouchFor(url, 30_000, 'lock:')));
}, 60_000);
afterEach(() => Promise.all(servers.map((server) => server.thaw())));
afterAll(async () => {
  await stopAll();
  await cli.remove();
});

const env = (nodes: readonly { readonly url: string }[] = servers) => ({
  REDLOCK_NODES: nodes.map(({ url }) => url).join(),
});
const run = (args: readonly string[], nodes?: readonly { readonly url: string }[], preload?: string) =>
  cli.run([...args, '--timeout', String(TIMEOUT)], env(nodes), preload);

const onAll = (ask: (redis: Redis) => Promise<unknown>) => Promise.all(servers.map(({ url }) => withRedis(url, ask)));
const plant = (names: readonly string[]) => onAll((redis) => redis.mset(names.flatMap((name) => [name, '1'])));
const remove = (names: readonly string[]) => onAll((redis) => redis.unlink(...names));

/** A look-up of names that takes for ever. */
const HANGING_DNS = `
  const { lookup } = require('node:dns');
  require('node:dns').lookup = (name, ...more) => name === 'node.example' ? setInterval(() => undefined, 1_000) : lookup(name, ...more);
`;

/** Runs all commands at once, and returns what each has said; none may take longer than its time. */
async function runAll(nodes?: readonly { readonly url: string }[], preload?: string): Promise<Map<string, Ended>> {
  const ended = await Promise.all(COMMANDS.map(async (args) => [args[0]!, await run(args, nodes, preload)] as const));
  for (const [, { ms }] of ended) expect(ms).toBeLessThan(TIMEOUT + START);
  return new Map(ended);
}

describe('the time of a command', () => {
  it('is kept if all nodes are frozen, and what is locked is unknown then', async () => {
    await Promise.all(servers.map((server) => server.freeze()));
    for (const [, { code, out }] of await runAll()) {
      expect(code).toBe(2);
      expect(out).not.toMatch(/Nothing|obody/);
      expect(out).toContain(`no answer within ${TIMEOUT / 4} ms`);
    }
  });

  it('is enough for the other nodes if one is frozen', async () => {
    await servers[1]!.freeze();
    for (const [name, { code, out }] of await runAll()) {
      expect(code).toBe(name === 'break' ? 3 : 1);
      expect(out).toMatch(/2 of 3 nodes|nobody holds order:7/);
      expect(out).toContain(`no answer within ${TIMEOUT / 4} ms`);
    }
  });

  it('is kept if a name is looked up for ever', async () => {
    const preload = await cli.script('dns', HANGING_DNS);
    const nodes = [...servers.slice(1), { url: 'redis://node.example:6379' }];
    for (const [name, { code, out }] of await runAll(nodes, preload)) {
      expect(code).toBe(name === 'break' ? 3 : 1);
      expect(out).toContain(`no answer within ${TIMEOUT / 4} ms`);
    }
  });

  it('is kept if nodes take long for each answer', async () => {
    const proxies = await Promise.all(servers.map((server) => startFaultProxy(server)));
    for (const proxy of proxies) proxy.replyDelay = 700;
    await runAll(proxies);
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  it('ends the search for keys, and says that not all were read', async () => {
    const names = Array.from({ length: 60_000 }, (_, at) => `other:${at}`);
    const proxies = await Promise.all(servers.map((server) => startFaultProxy(server)));
    await plant(names);
    for (const proxy of proxies) proxy.replyDelay = 150;
    const [list, text, doctor] = await Promise.all([
      run(['ls', '--json'], proxies),
      run(['ls'], proxies),
      run(['doctor', '--node-timeout', '1000'], proxies),
    ]);
    expect(list.ms).toBeLessThan(TIMEOUT + START);
    expect(list.code).toBe(2);
    const { nodes, answered } = JSON.parse(list.out) as { answered: number; nodes: { reason: string }[] };
    expect(answered).toBe(0);
    for (const { reason } of nodes)
      expect(reason).toMatch(/^not all of its keys were read within \d+ ms: give a greater --timeout$/);
    expect(text.out).toMatch(/^What is locked is unknown: 0 of 3 nodes answered/);
    expect(doctor.ms).toBeLessThan(TIMEOUT + START);
    expect(doctor.out).toMatch(/hidden keys.*\n +what: +some of its keys are unknown: .*give a greater --timeout\n/);
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await remove(names);
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends each command at once with %i, also while nodes hang', async (signal, code) => {
    await Promise.all(servers.map((server) => server.freeze()));
    const preload = await cli.script('ready', `setTimeout(() => process.stderr.write('ready'), 300)`);
    const end = async (args: readonly string[]): Promise<void> => {
      const child = cli.start([...args, '--timeout', '600000'], env(), preload);
      await once(child.stderr!, 'data');
      const began = performance.now();
      const ended = once(child, 'exit');
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      expect(performance.now() - began).toBeLessThan(3_000);
    };
    await Promise.all([...COMMANDS, ['watch']].map(end));
  });
});

describe('doctor', () => {
  it('measures how quick a node is apart from its own search for keys', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `lock:many:${at}`);
    await plant(names);
    const proxy = await startFaultProxy(servers[0]!);
    const args = ['doctor', '--json', '--timeout', '60000'];
    const { out } = await cli.run(args, env([proxy, servers[1]!, servers[2]!]));
    const first = proxy.commands.findIndex((name) => ['SCAN', 'EVAL'].includes(name));
    const pings = proxy.commands.flatMap((name, at) => (name === 'PING' ? [at] : []));
    expect(pings.length).toBeGreaterThan(10);
    expect(Math.max(...pings)).toBeLessThan(first);
    expect(JSON.parse(out)).toMatchObject({ votes: 3 });
    await proxy.close();
    await remove(names);
  });
});
