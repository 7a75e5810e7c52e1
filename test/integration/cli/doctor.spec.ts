import { describe, expect, it } from '@jest/globals';
import { asked, commandLine } from '../../support/command-line.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { foundOn, setUser, sickNodes, type Diagnosis } from '../../support/sick-nodes.js';

const nodes = sickNodes();

const WHOLE = {
  what: expect.stringMatching(/.{10}/),
  why: expect.stringMatching(/.{10}/),
  remedy: expect.stringMatching(/.{8}/),
};

describe('nestjs-redlock doctor', () => {
  it('has nothing against healthy nodes', async () => {
    expect(await nodes.examine(await nodes.sick())).toMatchObject({ code: 0, votes: 3, findings: [] });
  });

  it('finds a node that evicts locks', async () => {
    const server = await nodes.sick({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'volatile-lru'] });
    const found = await nodes.examine(server);
    expect(foundOn(found, server)).toEqual(['eviction: error']);
    expect(found).toMatchObject({ code: 1, findings: [{ ...WHOLE, remedy: 'set noeviction' }] });
  });

  it('finds a replica, and that it gives no votes', async () => {
    const server = await nodes.sick({ args: ['--replicaof', '127.0.0.1', String(nodes.well[0]!.port)] });
    await eventually(async () => {
      expect(await withRedis(server.url, (redis) => redis.info('replication'))).toContain('master_link_status:up');
    });
    const found = await nodes.examine(server);
    expect(foundOn(found, server)).toEqual(expect.arrayContaining(['votes: error', 'replica: error']));
    expect(found).toMatchObject({ code: 1, votes: 2 });
  });

  it('finds a node in cluster mode', async () => {
    const server = await nodes.sick({ args: ['--cluster-enabled', 'yes'] });
    expect(foundOn(await nodes.examine(server), server)).toEqual(
      expect.arrayContaining(['votes: error', 'cluster mode: error']),
    );
  });

  it('finds a node that runs no Lua', async () => {
    const server = await nodes.sick();
    await setUser(server.url, 'nolua', 'on', '>secret', '~*', '&*', '+@all', '-eval', '-evalsha', '-script');
    const found = await nodes.examine({ url: server.url.replace('//', '//nolua:secret@') });
    expect(foundOn(found, server)).toEqual(['votes: error', 'Lua: error', 'rights: error']);
    expect(found).toMatchObject({ code: 1, votes: 2 });
  });

  it('finds one server under two addresses', async () => {
    const found = await nodes.examine({ url: nodes.well[0]!.url.replace('127.0.0.1', 'localhost') });
    expect(found.findings.map(({ check, severity }) => `${check}: ${severity}`)).toContain('same server twice: error');
    expect(found).toMatchObject({ code: 1, votes: 2 });
  });

  it('finds a slow node', async () => {
    const server = await nodes.sick();
    const proxy = await startFaultProxy(server);
    proxy.replyDelay = 30;
    const found = await nodes.examine({ url: proxy.url }, '--node-timeout', '20');
    expect(foundOn(found, proxy)).toEqual(['latency: error']);
    await proxy.close();
  });

  it('finds a node that is down, one that is frozen, and that there is no quorum', async () => {
    const server = await nodes.sick();
    await server.freeze();
    const frozen = await nodes.examine(server, '--timeout', '2000');
    expect(foundOn(frozen, server)).toEqual(['votes: error']);
    expect(frozen.findings[0]!.what).toBe('it is down: no answer within 500 ms');
    await server.kill();
    const down = await nodes.examine(server);
    expect(foundOn(down, server)).toEqual(['votes: error']);
    expect(down.code).toBe(1);
    const nowhere = { url: 'redis://127.0.0.1:1' };
    expect(await asked<Diagnosis>([nodes.well[0]!, server, nowhere], 'doctor')).toMatchObject({ code: 2, votes: 1 });
  });

  it('finds data of other types, locks that never end, and queues of the dead under the prefix, and nothing else there', async () => {
    const server = await nodes.sick();
    await withRedis(server.url, async (redis) => {
      await redis.hset('lock:redisson', 'uuid:1', '1');
      await redis.zadd('lock:symfony', 1, 'token');
      await redis.set('lock:endless', 'x');
      await redis.zadd('lock:a~queue', 1, 'lock:~hand-off:gone');
      await redis.set('other', 'x');
      await redis.hset('others', 'a', '1');
      await redis.set('lock:well', 'x', 'PX', 60_000);
    });
    const found = await nodes.examine(server);
    expect(foundOn(found, server)).toEqual([
      'foreign keys: warning',
      'keys without a ttl: warning',
      'queues without a living waiter: advice',
    ]);
    const said = found.findings.map(({ what }) => what);
    expect(said[0]).toContain('lock:redisson (hash), lock:symfony (zset)');
    expect(said[1]).toMatch(/: lock:endless$/);
    expect(said[2]).toContain('queue for a is connected');
  });

  it('does not take the queue of the living for one of the dead', async () => {
    const server = await nodes.sick();
    await withRedis(server.url, async (redis) => {
      await redis.zadd('lock:a~queue', 1, 'lock:~hand-off:alive');
      await withRedis(server.url, async (listener) => {
        await listener.subscribe('lock:~hand-off:alive');
        expect(foundOn(await nodes.examine(server), server)).toEqual([]);
      });
    });
  });

  it('says that there is one node only, or an even number of them', async () => {
    const one = await asked<Diagnosis>([nodes.well[0]!], 'doctor', '--node-timeout', '1000');
    expect(one.findings.find(({ check }) => check === 'number of nodes')!.what).toBe('there is one node only');
    const two = await asked<Diagnosis>(nodes.well, 'doctor', '--node-timeout', '1000');
    expect(two.findings.find(({ check }) => check === 'number of nodes')!.what).toBe(
      'there are 2 nodes, an even number',
    );
  });

  it('says the worst first, and what is the same on several nodes once', async () => {
    const [one, two] = await Promise.all([nodes.sick(), nodes.sick()]);
    const plant = (url: string) => withRedis(url, (redis) => redis.set('lock:endless', 'x'));
    await Promise.all([plant(one.url), plant(two.url)]);
    const urls = [...[one, two].map(({ url }) => url), 'redis://127.0.0.1:1'].join();
    const { out } = await commandLine(['doctor', '--nodes', urls, '--node-timeout', '1000']);
    expect(out).toContain(`WARNING  keys without a ttl, ${one.url}, ${two.url}\n`);
    expect(out.match(/lock:endless/g)).toHaveLength(1);
    expect(out.match(/^(ERROR|WARNING)/gm)).toEqual(['ERROR', 'WARNING']);
  });

  it('says of each finding in words what it is, why it matters and what to do', async () => {
    const server = await nodes.sick({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    const urls = [...nodes.well, server].map(({ url }) => url).join();
    const { out, code } = await commandLine(['doctor', '--nodes', urls, '--node-timeout', '1000']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /ERROR {2}eviction, redis:\S+\n {2}what: .*allkeys-lru\)\n {2}why: +locks could vanish.*\n {2}to do: set noeviction\n/,
    );
  });
});
