import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll } from '../../support/redis-server.js';
import { SentinelSet } from '../../support/sentinels.js';
import { StubSentinel } from '../../support/stub-sentinel.js';
import { vouchFor } from '../../support/vouch.js';

const MAX_TTL = 3_000;
const TRUST = { maxTtl: MAX_TTL, restartQuarantine: true };
const WAIT = { ttl: 1_000, waitTimeout: 30_000, retryDelay: 20, retryJitter: 0 };

/** Callers of one resource, each over a client of its own, that see whether two of them hold the resource at once. */
class Contest {
  /** When the resource was taken, ms. */
  readonly taken: number[] = [];
  mostHolders = 0;
  #holders = 0;
  #isOver = false;
  readonly #callers: Promise<void>[];

  constructor(nodes: readonly LoneNode[]) {
    this.#callers = nodes.map((node) => this.#call(node));
  }

  /** Resolves when the resource was taken so many times more. */
  async goesOn(times = 10): Promise<void> {
    const wanted = this.taken.length + times;
    await eventually(() => expect(this.taken.length).toBeGreaterThanOrEqual(wanted), 30_000);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  /** Ms of the longest time in which nobody took the resource. */
  get longestPause(): number {
    return Math.max(...this.taken.slice(1).map((time, index) => time - this.taken[index]!));
  }

  /** A node may refuse for longer than a caller waits; a caller whose test has ended calls no more. */
  #outlived(error: unknown): undefined {
    if ((error as { code?: string }).code === 'CLOSED') this.#isOver = true;
    return undefined;
  }

  async #call({ redlock }: LoneNode): Promise<void> {
    while (!this.#isOver) {
      const lock = await redlock.acquire('shared', WAIT).catch((error: unknown) => this.#outlived(error));
      if (!lock) continue;
      this.taken.push(performance.now());
      this.#holders += 1;
      this.mostHolders = Math.max(this.mostHolders, this.#holders);
      const end = performance.now() + 50;
      while (lock.isValid && performance.now() < end) await setTimeout(5);
      this.#holders -= 1;
      await lock.release().catch(() => undefined);
    }
  }
}

/** Sentinels in containers would name addresses that nobody outside can reach. */
const describeHere = process.env.REDLOCK_TEST_DOCKER === '1' ? describe.skip : describe;

describeHere('a node that is a master of Sentinel', () => {
  const sets: SentinelSet[] = [];
  afterAll(async () => {
    await closeLoneNodes();
    await Promise.all(sets.map((set) => set.stop()));
  });

  const start = async (count?: number): Promise<SentinelSet> => {
    const set = sets[sets.push(await SentinelSet.start(count)) - 1]!;
    await vouchFor(set.master.url, MAX_TTL);
    return set;
  };
  const open = ({ options }: SentinelSet): Promise<LoneNode> => LoneNode.open(options, TRUST);

  // They mostly wait, so that several are tried at the same time, each with Sentinels of its own.
  it.concurrent.each<[string, number, (set: SentinelSet) => Promise<void>]>([
    ['dies', 3, (set) => set.master.kill()],
    ['dies', 1, (set) => set.master.kill()],
    ['becomes a replica', 3, (set) => set.failover()],
  ])(
    'is replaced when its master %s (Sentinels: %d): no lock for maxTtl, then locks again, and never two holders',
    async (_case, count, failOver) => {
      const set = await start(count);
      const [first, second, third] = await Promise.all([open(set), open(set), open(set)]);
      const nodes = [first, second, third];
      const contest = new Contest(nodes);
      await contest.goesOn();
      const held = await first.redlock.acquire('held', { ...WAIT, ttl: MAX_TTL });
      await failOver(set);
      await Promise.all(nodes.map((node) => node.until('node-up', 2)));
      expect(await set.masterPort()).toBe(set.replica.port);
      const next = await second.redlock.acquire('held', WAIT);
      expect([held.isValid, next.isValid]).toEqual([false, true]);
      await contest.goesOn();
      await contest.end();
      expect(contest.mostHolders).toBe(1);
      expect(contest.longestPause).toBeGreaterThan(MAX_TTL);
      const reasons = nodes.flatMap((node) => [...node.reasons('node-down'), ...node.reasons('node-warning')]);
      expect(new Set(reasons)).toEqual(new Set(['connection closed']));
    },
    120_000,
  );

  it('may come from a client of ioredis, whose own connection stays as it is', async () => {
    const set = await start();
    const client = new Redis({ ...set.options, lazyConnect: true });
    const lone = await LoneNode.open(client, TRUST);
    await lone.lock();
    expect([client.status, client.eventNames()]).toEqual(['wait', []]);
  }, 60_000);

  it('is down with a reason while no Sentinel can be reached, and is used when one can', async () => {
    const set = await start();
    await set.stopSentinels();
    const lone = await open(set);
    await lone.until('node-down');
    expect(lone.reasons('node-down')).toEqual([
      expect.stringMatching(/^no Sentinel names the master: .+ - check sentinels and name of the node$/),
    ]);
    await set.startSentinels();
    await lone.until('node-up');
    await lone.lock();
  }, 60_000);

  it('is down with a reason where the Sentinels do not know its name', async () => {
    const set = await start();
    const lone = await LoneNode.open({ ...set.options, name: 'other' }, TRUST);
    await lone.until('node-down');
    expect(lone.reasons('node-down')).toEqual([
      'no Sentinel names the master: ERR No such master with that name - check sentinels and name of the node',
    ]);
  }, 60_000);
});

describeHere('a node whose Sentinel says what the test wants', () => {
  let sentinel: StubSentinel;
  afterEach(async () => {
    await closeLoneNodes();
    await sentinel.stop();
    await stopAll();
  });

  it('leaves a master that has been replaced, though the server is alive and lets its clients in', async () => {
    const [first, second] = await Promise.all([startRedisServer(), startRedisServer()]);
    await vouchFor(first.url, MAX_TTL);
    sentinel = await StubSentinel.start(first.port);
    const lone = await LoneNode.open(sentinel.options, TRUST);
    await lone.lock();
    await eventually(() => expect(sentinel.listeners).toBe(1));
    sentinel.names(second.port);
    sentinel.tellOfFailover();
    await lone.until('node-quarantined');
    await lone.lock();
    expect(await withRedis(second.url, (redis) => redis.exists('~node'))).toBe(1);
  });

  it('does not stay with a replica that a Sentinel has named too late', async () => {
    const master = await startRedisServer();
    const replica = await startRedisServer({ args: ['--replicaof', `${master.host} ${master.port}`] });
    sentinel = await StubSentinel.start(replica.port);
    const lone = await LoneNode.open(sentinel.options);
    await lone.until('node-down');
    sentinel.names(master.port);
    await lone.lock();
    expect(lone.reasons('node-refused')).toEqual([]);
  });
});
