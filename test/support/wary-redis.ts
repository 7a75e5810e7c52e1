import { it } from '@jest/globals';
import type { Trust } from './trust.js';
import { RedisPool, type RedisClientSettings } from './redis-pool.js';
import type { RedisPoolClient } from './redis-pool-client.js';
import { vouchFor } from './vouch.js';

/** Ms; short, so that tests can wait for the end of a quarantine. */
export const MAX_TTL = 1_500;
/** The terms of clients that mind what nodes may have forgotten. */
export const WARY: Trust = { maxTtl: MAX_TTL, restartQuarantine: true };

/** Nodes that vote from the start, as those do that have been there for long. */
export async function startTrusted(size: number, maxTtl = MAX_TTL): Promise<RedisPool> {
  const pool = await RedisPool.start(size, { args: ['--repl-diskless-sync-delay', '0'] });
  await Promise.all(pool.urls.map((url) => vouchFor(url, maxTtl)));
  return pool;
}

/** A client that minds what nodes may have forgotten, unless it is told otherwise. */
export function waryClient(pool: RedisPool, settings: RedisClientSettings = {}): Promise<RedisPoolClient> {
  return pool.client({ trust: WARY, ...settings });
}

/** For tests of what a node has on its disk: containers forget it. */
export const onDisk = process.env.REDLOCK_TEST_DOCKER === '1' ? it.skip : it;
