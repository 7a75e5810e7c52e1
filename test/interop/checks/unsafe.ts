import type { Redlock } from '../../../lib/engine/redlock.js';
import { eventually } from '../../support/eventually.js';
import { RedisPool } from '../../support/redis-pool.js';
import { DIALECTS } from '../dialects/dialects.js';
import { libraryOf } from '../dialects/dialect.js';
import type { Library, Rival } from '../library.js';
import { finding, type Finding } from './finding.js';
import { Holds } from './holds.js';

const LONG = 60_000;
/** A `maxTtl` that is over soon. */
const SHORT = 500;
const NAME = 'r';

/** Something that no lock can make safe, or the same where it is safe. */
export interface Case {
  readonly name: string;
  readonly isSafe: boolean;
  run(): Promise<Finding>;
}

/** The cases that concern nodes and not a single library: theirs is redlock-universal by what it sends, or Laravel with no ttl. */
export const CASES: readonly Case[] = [
  caseOf('theirs names other nodes, of which a majority is not ours', false, async (ground) => {
    const ours = await ground.ours({ nodes: ground.pool.urls.slice(0, 3) });
    await ground.bothTake(await ground.theirs(ground.pool.urls.slice(2)), () => ours.tryAcquire(NAME));
  }),
  caseOf('ours has three of five nodes, one of which is restarted: theirs takes its vote', false, async (ground) => {
    const { urls, servers } = ground.pool;
    const away = await ground.pool.proxies();
    for (const proxy of away) await proxy.close();
    const ours = await ground.ours({ nodes: [...urls.slice(0, 3), ...away.slice(3).map(({ url }) => url)] });
    await ground.take('ours', () => ours.tryAcquire(NAME, { ttl: LONG }));
    await servers[2]!.restart();
    await ground.theirsTakes(await ground.theirs(urls));
  }),
  caseOf('theirs has three of five nodes, one of which is restarted: ours waits for `maxTtl`', true, (ground) =>
    afterRestart(ground, LONG),
  ),
  caseOf('the same where our `maxTtl` is shorter than their lease', false, (ground) => afterRestart(ground, SHORT)),
  caseOf('theirs has a lock without a ttl on a node that is restarted', false, async (ground) => {
    const [url, server] = [ground.pool.urls[0]!, ground.pool.servers[0]!];
    await ground.theirsTakes(await ground.theirs([url], 'Laravel RedisLock of 0 s'));
    await server.restart();
    const ours = await ground.ours({ nodes: [url], trust: { maxTtl: SHORT, restartQuarantine: true } });
    await ground.take('ours', () => ours.acquire(NAME, { ttl: SHORT, waitTimeout: 20_000 }));
  }),
];

/** They hold a lock on three of five nodes; one of these is restarted, and ours asks for the lock. */
async function afterRestart(ground: Ground, maxTtl: number): Promise<void> {
  const { pool } = ground;
  await ground.theirsTakes(await ground.theirs(pool.urls));
  for (const server of [3, 4]) await pool.ask(server, (redis) => redis.del(NAME));
  await pool.servers[2]!.restart();
  for (const server of [0, 1, 3, 4]) await ground.trust(server, maxTtl);
  const ours = await ground.ours({ trust: { maxTtl, restartQuarantine: true } });
  const waitTimeout = maxTtl === SHORT ? 20_000 : 1_000;
  await ground.take('ours', () => ours.acquire(NAME, { ttl: SHORT, waitTimeout }).catch(() => null));
}

/** Five nodes of its own, since it restarts them. */
class Ground {
  readonly holds = new Holds();
  readonly #ends: (() => void)[] = [];
  readonly #rivals: Rival[] = [];

  constructor(readonly pool: RedisPool) {}

  async ours(settings: Parameters<RedisPool['client']>[0]): Promise<Redlock> {
    return (await this.pool.client(settings)).redlock;
  }

  async theirs(urls: readonly string[], name = 'redlock-universal'): Promise<Rival> {
    const library: Library = libraryOf(DIALECTS.find((dialect) => dialect.name === name)!);
    const rival = await library.connect(urls);
    this.#rivals.push(rival);
    return rival;
  }

  theirsTakes(rival: Rival): Promise<void> {
    return this.take('theirs', () => rival.take(NAME, LONG));
  }

  async bothTake(rival: Rival, ours: () => Promise<unknown>): Promise<void> {
    await this.take('ours', ours);
    await this.theirsTakes(rival);
  }

  async take(client: string, take: () => Promise<unknown>): Promise<void> {
    const lock = await take();
    if (lock !== null && lock !== undefined) this.#ends.push(this.holds.begin(client));
  }

  /** Has a node vote as one that has been up for long. */
  async trust(server: number, maxTtl: number): Promise<void> {
    await this.pool.ask(server, async (redis) => {
      const [, run] = /run_id:(\w+)/.exec(await redis.info('server'))!;
      await redis.set('~node', `${run}|0|${maxTtl}`);
    });
  }

  async end(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (const end of this.#ends) end();
    await Promise.all(this.#rivals.map((rival) => rival.close()));
    await this.pool.stop();
  }
}

function caseOf(name: string, isSafe: boolean, play: (ground: Ground) => Promise<void>): Case {
  const run = async (): Promise<Finding> => {
    const ground = new Ground(await RedisPool.start(5));
    try {
      await play(ground);
    } finally {
      await ground.end();
    }
    return judged(ground.holds, isSafe);
  };
  return { name, isSafe, run };
}

function judged(holds: Holds, isSafe: boolean): Finding {
  return finding(holds.overlaps > 0 === !isSafe, holds.overlaps > 0 ? 'TWO HOLDERS' : 'one holder');
}

/**
 * Their question takes longer than their lease: a client that does not look at the clock takes the lock for its own.
 */
export function slowAnswer(library: Library, isSafe: boolean): Case {
  const run = async (): Promise<Finding> => {
    const pool = await RedisPool.start(3);
    const [proxies, holds] = [await pool.proxies(), new Holds()];
    const rival = await library.connect(proxies.map(({ url }) => url));
    const { redlock } = await pool.client({ keyPrefix: library.keyPrefix });
    try {
      for (const proxy of proxies) proxy.replyDelay = 2 * SHORT;
      const taking = rival.take(NAME, SHORT);
      await eventually(async () => {
        if ((await pool.owners(library.keyPrefix + NAME)).includes(null)) throw new Error('it has not taken it yet');
      });
      await redlock.acquire(NAME, { ttl: LONG, waitTimeout: 20_000, retryDelay: 20 });
      const end = holds.begin('ours');
      const lock = await taking;
      const endTheirs = holds.begin('theirs');
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (lock !== undefined) endTheirs();
      end();
    } finally {
      await rival.close();
      await pool.stop();
    }
    return judged(holds, isSafe);
  };
  return { name: `${library.name} is told of its lock when the lease is over`, isSafe, run };
}
