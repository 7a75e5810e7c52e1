import { expect, it } from '@jest/globals';
import type { QuorumNotReachedError } from '../../lib/core/api/errors.js';
import type { LockEvent } from '../../lib/core/api/events.js';
import type { TrustTerms } from '../../lib/redis/batch/batch-encoder.js';
import { eventually } from './eventually.js';
import { RedisPool, type RedisClientSettings, type RedisPoolClient } from './redis-pool.js';
import { vouchFor } from './vouch.js';

/** Ms by which two clocks of one machine may read time differently. */
const READING = 5;

/** Ms; short, so that tests can wait for the end of a quarantine. */
export const MAX_TTL = 1_500;
/** The terms of clients that mind what nodes may have forgotten. */
export const WARY: TrustTerms = { maxTtl: MAX_TTL, restartQuarantine: true };

export const ONCE = { waitTimeout: 0 };
export const PATIENT = { waitTimeout: 20_000, retryDelay: 20, retryJitter: 0 };

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

/** The error of a caller that does not wait. */
export function refusal({ redlock }: RedisPoolClient, resource = 'refused'): Promise<QuorumNotReachedError> {
  return redlock.acquire(resource, ONCE).then(
    () => Promise.reject(new Error('it was given the lock')),
    (error: unknown) => error as QuorumNotReachedError,
  );
}

/** Ms since then until a client gets a lock. */
export async function votesAfter({ redlock }: RedisPoolClient, since: number): Promise<number> {
  await redlock.acquire(`voted-${since}`, PATIENT);
  return msSince(since);
}

export function msSince(since: number): number {
  return performance.now() - since + READING;
}

export function count({ events }: RedisPoolClient, type: LockEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}

export function untilTold(client: RedisPoolClient, type: LockEvent['type'], times = 1): Promise<void> {
  return eventually(() => expect(count(client, type)).toBeGreaterThanOrEqual(times), 20_000);
}

/** For tests of what a node has on its disk: containers forget it. */
export const onDisk = process.env.REDLOCK_TEST_DOCKER === '1' ? it.skip : it;
