import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeStatus } from '../../../lib/engine/status.js';
import { asked, commandLine } from '../../support/command-line.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

interface Status {
  readonly nodes: readonly NodeStatus[];
  readonly quorum: number;
  readonly votes: number;
  readonly margin: number;
  readonly quorumReachable: boolean;
}

const vouchForAll = (servers: readonly RedisServer[]) =>
  Promise.all(servers.map(({ url }) => vouchFor(url, 30_000, 'lock:')));

describe('nestjs-redlock status', () => {
  let servers: RedisServer[];
  beforeEach(async () => {
    servers = await startRedisServers(5);
    await vouchForAll(servers);
  });
  afterEach(() => stopAll(servers));
  afterAll(() => stopAll());

  it('ends with 0 where all vote, with 1 where a quorum does, and with 2 where none does', async () => {
    expect(await asked<Status>(servers, 'status')).toMatchObject({ code: 0, votes: 5, quorum: 3, margin: 2 });
    await Promise.all(servers.slice(0, 2).map((server) => server.kill()));
    const degraded = await asked<Status>(servers, 'status');
    expect(degraded).toMatchObject({ code: 1, votes: 3, margin: 0, quorumReachable: true });
    expect(degraded.nodes[0]).toMatchObject({
      up: false,
      votes: false,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    await servers[2]!.kill();
    expect(await asked<Status>(servers, 'status')).toMatchObject({ code: 2, margin: -1, quorumReachable: false });
  });

  it('tells of each node how quick it is, and how far its clock is off', async () => {
    const { nodes } = await asked<Status>(servers, 'status');
    for (const node of nodes) {
      expect(node.latency).toBeGreaterThan(0);
      expect(Math.abs(node.clockOffset!)).toBeLessThan(1_000);
      expect(Object.keys(node)).not.toContain('runId');
    }
  });

  it('tells of a frozen node after the time that it is given', async () => {
    await servers[0]!.freeze();
    const { nodes, code } = await asked<Status>(servers, 'status', '--timeout', '2000');
    expect(code).toBe(1);
    expect(nodes[0]).toMatchObject({ up: false, votes: false });
  });

  it('tells for how long a node is in quarantine, and leaves all nodes as they are', async () => {
    const all = await asked<Status>(servers, 'status');
    expect(all).toMatchObject({ code: 0, votes: 5 });
    await withRedis(servers[0]!.url, async (redis) => {
      const [run] = (await redis.get('lock:~node'))!.split('|');
      const [seconds] = await redis.time();
      await redis.set('lock:~node', `${run}|${Number(seconds) * 1_000_000}|30000`);
    });
    await withRedis(servers[1]!.url, (redis) => redis.set('lock:~node', `${'f'.repeat(40)}|1|30000`));
    await withRedis(servers[2]!.url, (redis) => redis.del('lock:~node'));
    const markers = () => Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.get('lock:~node'))));
    const before = await markers();
    const { nodes, code } = await asked<Status>(servers, 'status');
    expect(code).toBe(2);
    expect(nodes[0]!.votesIn).toBeGreaterThan(20_000);
    expect(nodes[1]).toMatchObject({ votes: false, votesIn: 30_000, reason: expect.stringContaining('restarted') });
    expect(nodes[2]).toMatchObject({ votes: false, votesIn: 30_000, reason: expect.stringContaining('emptied') });
    expect(nodes.slice(3).map(({ votes }) => votes)).toEqual([true, true]);
    expect(await markers()).toEqual(before);
  });

  it('says that nodes which came back empty do not vote, and leaves their quarantine to the first client', async () => {
    await Promise.all(servers.map((server) => server.restart()));
    for (const look of ['once', 'again']) {
      const { nodes, votes, code } = await asked<Status>(servers, 'status', '--max-ttl', '12000');
      expect([look, votes, code]).toEqual([look, 0, 2]);
      for (const node of nodes)
        expect(node).toMatchObject({
          up: true,
          votes: false,
          votesIn: 12_000,
          reason: 'new or emptied: its first client will put it into quarantine',
        });
    }
    expect(await withRedis(servers[0]!.url, (redis) => redis.keys('*'))).toEqual([]);
    const { out } = await commandLine(['status', '--nodes', servers.map(({ url }) => url).join()]);
    expect(out).toContain('0 of 5 nodes vote, the quorum is 3: there are no locks until 3 more do\n! ');
  });

  it('counts an emptied node only for clients without quarantine, whose locks it sees', async () => {
    await withRedis(servers[0]!.url, (redis) => redis.flushall());
    expect(await asked<Status>(servers, 'status')).toMatchObject({ code: 1, votes: 4 });
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.flushall())));
    await withRedis(servers[1]!.url, (redis) => redis.hset('lock:~fence', 'a', '1'));
    expect(await asked<Status>(servers, 'status')).toMatchObject({ code: 0, votes: 5 });
  });

  it('counts a server once that has two addresses', async () => {
    const [one, two, three] = servers;
    const twin = { url: one!.url.replace('127.0.0.1', 'localhost') };
    const { nodes, votes, code } = await asked<Status>([one!, twin, two!, three!, servers[3]!], 'status');
    expect([votes, code]).toEqual([4, 1]);
    expect(nodes[1]).toMatchObject({ votes: false, reason: `it is the same server as ${one!.url}` });
  });

  it('says it in words, from REDLOCK_NODES, and shows no password', async () => {
    await Promise.all(
      servers.map(({ url }) =>
        withRedis(url, (redis) => redis.acl('SETUSER', 'ops', 'on', '>s3cret', '~*', '&*', '+@all')),
      ),
    );
    await servers[4]!.kill();
    const env = { REDLOCK_NODES: servers.map(({ url }) => url.replace('//', '//ops:s3cret@')).join(' , ') };
    const { out, code } = await commandLine(['status'], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/^NODE +VOTES +LATENCY +CLOCK +VOTES IN\n/);
    expect(out).toMatch(
      /4 of 5 nodes vote, the quorum is 3: 1 more may fail\n! redis:\S+: connect ECONNREFUSED \S+\n$/,
    );
    expect(out).toMatch(/no +- +- +-\n/);
    expect(out).not.toContain('s3cret');
  });

  it('tells of a wrong password what the node says', async () => {
    const wrong = servers.map(({ url }) => ({ url: url.replace('//', '//nobody:wr0ng@') }));
    const { nodes, code } = await asked<Status>(wrong, 'status');
    expect(code).toBe(2);
    expect(nodes[0]!.reason).toMatch(/WRONGPASS/);
  });
});

describe('nestjs-redlock, called in a wrong way', () => {
  it.each<[string, string[], RegExp]>([
    ['without nodes', ['status'], /no nodes are named: give --nodes .* REDLOCK_NODES/],
    ['with a malformed address', ['status', '--nodes', '10.0.0.1'], /nodes\[0\] is malformed/],
    ['with one address twice', ['ls', '--nodes', 'redis://a,redis://a'], /one server must not vote twice/],
    ['with a command that there is not', ['unlock'], /unknown command 'unlock'/],
    ['with an option that there is not', ['status', '--node', 'redis://a'], /unknown option '--node'/],
    ['without a resource', ['break', '--nodes', 'redis://a'], /missing required argument 'resource'/],
    ['with a time that is none', ['status', '--timeout', '0'], /must be a whole number from 1/],
  ])('ends with 64 %s, and says so', async (_case, args, words) => {
    const { code, err, out } = await commandLine(args);
    expect(code).toBe(64);
    expect(err).toMatch(words);
    expect(out).toBe('');
  });

  it('says what there is', async () => {
    const help = await commandLine(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['status', 'doctor', 'ls', 'watch', 'break']) expect(help.out).toContain(command);
    expect((await commandLine(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
