import { once } from 'node:events';
import { TRUSTING } from '../../support/trust.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { CompiledLib } from '../../support/compiled-lib.js';
import { eventually } from '../../support/eventually.js';
import { realNodes } from '../../support/real-nodes.js';
import { RedisPool } from '../../support/redis-pool.js';

/** Takes a lock, says so, waits for a word, closes, and has nothing more to do. */
const SCRIPT = `
import { Redlock } from './engine/redlock.js';
import { SystemClock } from './engine/system-clock.js';
import { toAddresses } from './redis/connection/settings/node-address.js';
import { BatchEncoder, channelOf } from './redis/codec.js';
import { RedisNode } from './redis/redis-node.js';
const clock = new SystemClock();
const encoder = new BatchEncoder({ keyPrefix: '', channel: channelOf('', 'close'), maxTtl: 10_000_000, restartQuarantine: false });
const nodes = toAddresses(process.argv.slice(2)).map((address) => new RedisNode(address, encoder, clock));
const redlock = new Redlock({ nodes, clock });
await redlock.open();
await redlock.acquire('a', { ttl: 5_000, autoExtend: true, waitTimeout: 0 }).catch(() => undefined);
console.log('ready');
process.stdin.once('data', async () => {
  await redlock.close();
  process.stdin.unref();
  console.log('closed');
});
`;

describe('Redlock.close', () => {
  const clock = new SystemClock();
  let lib: CompiledLib;
  let pool: RedisPool;
  beforeAll(async () => void (lib = await CompiledLib.make()));
  afterAll(() => lib.remove());
  beforeEach(async () => void (pool = await RedisPool.start(3)));
  afterEach(() => pool.stop());

  /** The exit code of a process that closes its pool after `spoil`. */
  const endOf = async (spoil: () => Promise<void>): Promise<unknown> => {
    const child = await lib.run(SCRIPT, pool.urls);
    const exit = once(child, 'exit');
    await once(child.stdout!, 'data');
    await spoil();
    child.stdin!.write('close\n');
    const [code] = await exit;
    return code;
  };

  it('lets the process end by itself', async () => {
    await expect(endOf(async () => undefined)).resolves.toBe(0);
  });

  it('lets the process end by itself with every node frozen', async () => {
    await expect(
      endOf(async () => void (await Promise.all(pool.servers.map((server) => server.freeze())))),
    ).resolves.toBe(0);
    await Promise.all(pool.servers.map((server) => server.thaw()));
  });

  it('lets the process end by itself with nodes that died', async () => {
    await expect(
      endOf(async () => void (await Promise.all(pool.servers.map((server) => server.kill())))),
    ).resolves.toBe(0);
  });

  it('lets the process end by itself with nodes that froze before they were connected', async () => {
    await Promise.all(pool.servers.map((server) => server.freeze()));
    await expect(endOf(async () => undefined)).resolves.toBe(0);
    await Promise.all(pool.servers.map((server) => server.thaw()));
  });

  it('releases what is held', async () => {
    const { redlock } = await pool.client();
    const lock = await redlock.acquire('a', { ttl: 60_000, autoExtend: true });
    await redlock.close();
    expect(lock.isValid).toBe(false);
    await eventually(async () => expect(await pool.owners('a')).toEqual([null, null, null]));
  });

  it('ends also where the pool was never opened, and when it is called twice', async () => {
    const nodes = realNodes(pool.urls, clock, TRUSTING);
    const redlock = new Redlock({ nodes, clock });
    await redlock.close();
    await redlock.close();
    await expect(redlock.acquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
    expect((await redlock.status()).quorumReachable).toBe(false);
    await expect(pool.ask(0, (redis) => redis.info('clients'))).resolves.toContain('connected_clients:1');
  });

  it('ends while the nodes are being connected', async () => {
    const nodes = realNodes(pool.urls, clock, TRUSTING);
    const redlock = new Redlock({ nodes, clock });
    const opened = redlock.open();
    await redlock.close();
    await expect(opened).resolves.toBeUndefined();
  });

  it('settles what is under way, and rejects what comes later', async () => {
    const { redlock } = await pool.client({ nodeTimeout: 60_000 });
    await Promise.all([0, 1].map((index) => pool.servers[index]!.freeze()));
    const taking = redlock.acquire('a', { waitTimeout: 0 }).catch((error: unknown) => error);
    await redlock.close();
    await expect(taking).resolves.toMatchObject({ code: 'CLOSED' });
    await expect(redlock.acquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
    expect((await redlock.status()).nodes.map(({ up }) => up)).toEqual([false, false, false]);
    await Promise.all([0, 1].map((index) => pool.servers[index]!.thaw()));
  });

  it('does not reconnect afterwards', async () => {
    const { redlock, events } = await pool.client();
    await redlock.close();
    const told = events.length;
    await pool.servers[0]!.restart();
    await expect(pool.ask(0, (redis) => redis.info('clients'))).resolves.toContain('connected_clients:1');
    expect(events).toHaveLength(told);
  });
});
