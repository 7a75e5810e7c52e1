import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Finding } from '../../lib/cli/doctor/check.js';
import { asked } from './command-line.js';
import { withRedis } from './redis-client.js';
import {
  startRedisServer,
  startRedisServers,
  stopAll,
  type RedisServer,
  type RedisServerOptions,
} from './redis-server.js';
import { vouchFor } from './vouch.js';

const MAX_TTL = 30_000;

/** What doctor says of a pool. */
export interface Diagnosis {
  readonly code: number;
  readonly votes: number;
  readonly findings: readonly (Finding & { readonly check: string })[];
}

/** Two healthy nodes for all tests of a file, and others that a test makes sick, which end with it. */
export function sickNodes(): SickNodes {
  const nodes = new SickNodes();
  beforeAll(() => nodes.open());
  afterEach(() => nodes.discharge());
  afterAll(() => stopAll());
  return nodes;
}

/** The healthy and the sick nodes of one test file. */
class SickNodes {
  readonly well: RedisServer[] = [];
  readonly #sick: RedisServer[] = [];

  async open(): Promise<void> {
    this.well.push(...(await startRedisServers(2)));
    await Promise.all(this.well.map(({ url }) => vouchFor(url, MAX_TTL, 'lock:')));
  }

  /** Starts a node with a fault, in which clients have long had locks. */
  async sick(options?: RedisServerOptions): Promise<RedisServer> {
    const server = await startRedisServer(options);
    this.#sick.push(server);
    // A replica takes no marker, nor does a node in cluster mode.
    await vouchFor(server.url, MAX_TTL, 'lock:').catch(() => undefined);
    return server;
  }

  /** Examines a node beside the healthy ones. */
  async examine(third: { readonly url: string }, ...args: string[]): Promise<Diagnosis> {
    const nodes = [...this.well, third];
    const diagnosis = await asked<Diagnosis>(nodes, 'doctor', '--node-timeout', '1000', ...args);
    // What the version of the servers of this machine is known for is no fault that a test has made.
    return { ...diagnosis, findings: diagnosis.findings.filter(({ check }) => check !== 'version') };
  }

  async discharge(): Promise<void> {
    await stopAll(this.#sick.splice(0));
  }
}

/** What is found on one node, in order. */
export function foundOn({ findings }: Diagnosis, { url }: { readonly url: string }): string[] {
  return findings.filter(({ node }) => node === url).map(({ check, severity }) => `${check}: ${severity}`);
}

export async function setUser(url: string, name: string, ...rules: string[]): Promise<void> {
  await withRedis(url, (redis) => redis.call('ACL', 'SETUSER', name, 'reset', ...rules));
}
