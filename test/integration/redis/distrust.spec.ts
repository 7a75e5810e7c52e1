import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ClockedServer } from '../../support/clock-shim.js';
import { ClockedPool } from '../../support/clocked-pool.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { RedisPool } from '../../support/redis-pool.js';
import { ONCE, type RedisPoolClient } from '../../support/redis-pool-client.js';
import type { RedisServer } from '../../support/redis-server.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const MAX_TTL = 20_000;
const trust = { maxTtl: MAX_TTL, restartQuarantine: true };
/** Ms; longer than the lease below, which then ends early on the node. */
const STEP = 9_000;
const TTL = 8_000;
/** Ms by which two readings of one clock may differ here, on a busy machine. */
const READING = 250;
/** Ms; a request that is held back for so long never arrives. */
const NEVER = 600_000;

describeWithClocks('that the clock of a node was set', () => {
  let clocked: ClockedPool;
  let pool: RedisPool;
  let node: ClockedServer;
  let proxy: FaultProxy;
  let holder: RedisPoolClient;
  let witness: RedisPoolClient;
  let other: RedisPool | undefined;
  beforeEach(async () => {
    clocked = await ClockedPool.start(MAX_TTL);
    ({ pool, node, proxy } = clocked);
    holder = await pool.client({ nodes: [node.url], trust });
    witness = await pool.client({ nodes: [proxy.url], trust });
    await (await witness.redlock.acquire('first', ONCE)).release();
  });
  afterEach(async () => {
    await clocked.stop();
    await other?.stop();
  });

  const setReplicas = (count: string): Promise<unknown> =>
    withRedis(node.url, (redis) => redis.config('SET', 'min-replicas-to-write', count));
  /** Resolves when the address of the witness leads there. */
  const leadTo = async (server: RedisServer): Promise<void> => {
    const before = witness.count('node-up');
    proxy.redirect(server);
    await eventually(() => expect(witness.count('node-up')).toBe(before + 1));
  };
  const markedAt = async (): Promise<number> =>
    Number((await withRedis(node.url, (redis) => redis.get('~node')))!.split('|')[1]) / 1_000;
  /** Resolves when the node knows since when it may not vote: since the step was noticed, on the node's clock. */
  const untilMarked = (noticed: number): Promise<void> =>
    eventually(async () => expect(Math.abs((await markedAt()) - STEP - noticed)).toBeLessThan(READING), 3_000);
  const expectNoSecondHolder = async (): Promise<void> => {
    const stranger = await pool.client({ nodes: [node.url], trust });
    expect(await stranger.refusal('held')).toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
  };

  it('is told to all clients though the node accepts no writes when it is noticed', async () => {
    const lock = await holder.redlock.acquire('held', { ttl: TTL });
    await setReplicas('1');
    await node.step(STEP);
    await witness.refusal();
    const noticed = Date.now();
    expect(witness.count('node-quarantined')).toBe(1);
    for (let times = 0; times < 4; times += 1) await witness.refusal();
    await setReplicas('0');
    await witness.refusal();
    await untilMarked(noticed);
    await expectNoSecondHolder();
    expect(lock.isValid).toBe(true);
  });

  it('is told to all clients though the connection breaks when it is noticed', async () => {
    const lock = await holder.redlock.acquire('held', { ttl: TTL });
    await node.step(STEP);
    const before = proxy.commands.length;
    proxy.replyDelay = 300;
    const refused = witness.refusal();
    await eventually(() => expect(proxy.commands.length).toBeGreaterThan(before));
    proxy.requestDelay = NEVER;
    await witness.untilTold('node-quarantined');
    const noticed = Date.now();
    [proxy.replyDelay, proxy.requestDelay] = [0, 0];
    proxy.resetAll();
    await refused;
    await untilMarked(noticed);
    await expectNoSecondHolder();
    expect(lock.isValid).toBe(true);
  });

  it('is noticed by a client whose address led to another node meanwhile, and is told to all clients', async () => {
    const lock = await holder.redlock.acquire('held', { ttl: TTL });
    other = await RedisPool.start(1);
    await leadTo(other.servers[0]!);
    await node.step(STEP);
    await leadTo(node.server);
    expect(await witness.refusal('held')).toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
    await untilMarked(Date.now());
    await expectNoSecondHolder();
    expect(lock.isValid).toBe(true);
  });
});
