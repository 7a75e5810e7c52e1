import type { Redis, RedisOptions } from 'ioredis';
import type { LockEvent } from '../../lib/engine/events.js';
import { counterOf } from '../../lib/engine/fencing.js';
import { Redlock } from '../../lib/engine/redlock.js';
import type { RedlockSettings } from '../../lib/engine/redlock.js';
import { SystemClock } from '../../lib/engine/system-clock.js';
import type { RedisNode } from '../../lib/redis/redis-node.js';
import { eventually } from './eventually.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { withRedis } from './redis-client.js';
import { RedisPoolClient } from './redis-pool-client.js';
import { startRedisServers, stopAll, type RedisServer, type RedisServerOptions } from './redis-server.js';
import { realNodes } from './real-nodes.js';
import { TRUSTING, type Trust } from './trust.js';

export type { RedisPoolClient };

/** Ms. */
const CONNECTED_WITHIN = 10_000;

export interface RedisClientSettings extends Partial<Omit<RedlockSettings, 'nodes'>> {
  /** By default the addresses of all servers of the pool. */
  nodes?: readonly (string | RedisOptions)[];
  keyPrefix?: string;
  /** By default long leases, and no quarantine. */
  trust?: Trust;
}

/** Real masters and clients of them; whatever it made ends with `stop`. */
export class RedisPool {
  readonly #clients: Redlock[] = [];
  readonly #proxies: FaultProxy[] = [];
  #names = 0;

  constructor(readonly servers: readonly RedisServer[]) {}

  static async start(size: number, options?: RedisServerOptions): Promise<RedisPool> {
    return new RedisPool(await startRedisServers(size, options));
  }

  get urls(): string[] {
    return this.servers.map(({ url }) => url);
  }

  /** A resource that no other test of this pool uses. */
  resource(): string {
    this.#names += 1;
    return `resource-${this.#names}`;
  }

  /** A client that is connected; nodes have long to answer unless it says otherwise, since test machines are slow. */
  async client({
    nodes = this.urls,
    keyPrefix = '',
    trust = TRUSTING,
    clock = new SystemClock(),
    ...settings
  }: RedisClientSettings = {}): Promise<RedisPoolClient> {
    const events: LockEvent[] = [];
    const lockNodes = realNodes(nodes, clock, trust, keyPrefix);
    const listener = (event: LockEvent): void => void events.push(event);
    const defaults = { quorumTimeout: Infinity };
    const terms = { nodeTimeout: 3_000, maxTtl: trust.maxTtl, listener, defaults, ...settings };
    const redlock = new Redlock({ nodes: lockNodes, clock, ...terms });
    this.#clients.push(redlock);
    await redlock.open();
    await this.#connected(lockNodes, events);
    return new RedisPoolClient(redlock, lockNodes, events);
  }

  /** Opening a pool waits only so long for a node, which a busy machine may exceed. */
  async #connected(nodes: readonly RedisNode[], events: readonly LockEvent[]): Promise<void> {
    const answering = this.servers.filter(({ answers }) => answers).map(({ url }) => url);
    const expected = nodes.map(({ name }) => name).filter((name) => answering.includes(name));
    const up = (name: string): boolean => events.some((event) => event.type === 'node-up' && event.node === name);
    await eventually(() => {
      const missing = expected.filter((name) => !up(name));
      if (missing.length > 0) throw new Error(`not connected: ${missing.join(', ')}`);
    }, CONNECTED_WITHIN);
  }

  /** A new proxy before every server; connect a client to their `url`s to make its way to the nodes faulty. */
  async proxies(): Promise<FaultProxy[]> {
    const proxies = await Promise.all(this.servers.map((server) => startFaultProxy(server)));
    this.#proxies.push(...proxies);
    return proxies;
  }

  ask<T>(server: number, question: (redis: Redis) => Promise<T>): Promise<T> {
    return withRedis(this.servers[server]!.url, question);
  }

  /** The value of `key` on each of these servers, by default on all. */
  owners(key: string, servers: readonly number[] = [...this.servers.keys()]): Promise<(string | null)[]> {
    return Promise.all(servers.map((server) => this.ask(server, (redis) => redis.get(key))));
  }

  /** Plants a key as a foreign client would. */
  async plant(server: number, key: string, options: { value?: string; ttl?: number } = {}): Promise<void> {
    const { value = 'foreign', ttl } = options;
    await this.ask(server, (redis) => (ttl ? redis.set(key, value, 'PX', ttl) : redis.set(key, value)));
  }

  /** What counts the fencing tokens of a resource, on every server. */
  counters(resource: string, keyPrefix = ''): Promise<(string | null)[]> {
    const counts = this.servers.map((_, server) =>
      this.ask(server, (redis) => redis.hget(`${keyPrefix}~fence`, counterOf(resource))),
    );
    return Promise.all(counts);
  }

  async count(server: number, resource: string, fence: number): Promise<void> {
    await this.ask(server, (redis) => redis.hset('~fence', counterOf(resource), String(fence)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((redlock) => redlock.close()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await stopAll(this.servers);
  }
}

/**
 * Resolves when every node that is up has done what it was sent so far: commands are answered in order. How many
 * milliseconds a slow machine takes for that makes no difference.
 */
export async function allDone({ nodes }: RedisPoolClient): Promise<void> {
  await Promise.all(nodes.map((node) => new Promise((resolve) => node.probe(resolve))));
}
