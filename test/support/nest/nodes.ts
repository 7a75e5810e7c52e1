import type { DynamicModule } from '@nestjs/common';
import { RedlockModule, type RedlockModuleExtras, type RedlockModuleOptions } from 'nestjs-redlock';
import { eventually } from '../eventually.js';
import { withRedis } from '../redis-client.js';
import type { RedisServer } from '../redis-server.js';

export type PoolOptions = Partial<RedlockModuleOptions> & RedlockModuleExtras;

/** A pool on these nodes for all modules, patient with the slow machines that tests run on, and quick to try again. */
export function poolOn(servers: readonly { readonly url: string }[], options: PoolOptions = {}): DynamicModule {
  const { defaults, ...others } = options;
  return RedlockModule.forRoot({
    nodes: servers.map(({ url }) => url),
    isGlobal: true,
    nodeTimeout: 3_000,
    maxTtl: 10_000_000,
    restartQuarantine: false,
    defaults: { retryDelay: 20, retryJitter: 10, waitTimeout: 20_000, ...defaults },
    ...others,
  });
}

/** The holder of a resource on each of these nodes. */
export function ownersOn(servers: readonly RedisServer[], resource: string): Promise<(string | null)[]> {
  return Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.get(`lock:${resource}`))));
}

/**
 * Whose value a majority of these nodes has; null where none has a majority. The others may be late, or have that of a
 * rival for a moment.
 */
export async function holderOn(servers: readonly RedisServer[], resource: string): Promise<string | null> {
  const owners = await ownersOn(servers, resource);
  const most = owners.find((owner) => owners.filter((other) => other === owner).length > owners.length / 2);
  return most ?? null;
}

/** The locks and lines on these nodes: all keys but what outlives them. */
export async function keysOn(servers: readonly RedisServer[]): Promise<string[]> {
  const keys = await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.keys('*'))));
  return keys.flat().filter((key) => !/~(waiting|node|fence|process:.{6})$/.test(key));
}

/** Resolves once nothing is locked on these nodes: what was sent to the slowest of them may still be on its way. */
export function untilFree(servers: readonly RedisServer[]): Promise<void> {
  return eventually(async () => {
    const keys = await keysOn(servers);
    if (keys.length > 0) throw new Error(`still locked: ${keys.join(', ')}`);
  });
}

/** Addresses where nobody listens: connections to them are refused at once. */
export const CLOSED_PORTS = [1, 2, 3].map((port) => ({ url: `redis://127.0.0.1:${port}` }));
