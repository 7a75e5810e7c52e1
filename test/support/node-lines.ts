import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import type { RedisPool } from './redis-pool.js';

/** Ms: a line without a sign of life of its waiters expires later than this. */
const LIMIT = 8_000;

/** A waiter is known in its line by a channel. */
export interface Channelled {
  readonly channel: string;
}

/** On each of these servers, by default on all, the channels of the waiters in line for `resource`, in order. */
export function linesOf(pool: RedisPool, resource: string, servers = [...pool.servers.keys()]): Promise<string[][]> {
  return Promise.all(servers.map((server) => pool.ask(server, (redis) => redis.zrange(`${resource}~queue`, 0, '-1'))));
}

/** Resolves when so many stand in line for `resource` on each of these servers, by default on all. */
export async function standing(pool: RedisPool, count: number, resource: string, servers?: number[]): Promise<void> {
  await eventually(async () => {
    const lines = await linesOf(pool, resource, servers);
    expect(lines.map(({ length }) => length)).toEqual(lines.map(() => count));
  }, LIMIT);
}

/** Resolves when exactly these stand in line for `resource` on each of these servers, by default on all, in this order. */
export async function linedUp(
  pool: RedisPool,
  resource: string,
  members: readonly Channelled[],
  servers = [...pool.servers.keys()],
): Promise<void> {
  const line = members.map(({ channel }) => channel);
  await eventually(async () => {
    expect(await linesOf(pool, resource, servers)).toEqual(servers.map(() => line));
  }, LIMIT);
}

/** What is there of `resource`, or of any, on each server: locks and lines. */
export async function leftovers(pool: RedisPool, resource?: string): Promise<string[]> {
  const keysOn = (server: number): Promise<string[]> => pool.ask(server, (redis) => redis.keys(`${resource ?? ''}*`));
  const keys = await Promise.all(pool.servers.map((_, server) => keysOn(server)));
  const isOurs = (key: string): boolean =>
    resource === undefined
      ? !/~(waiting|node|fence)$/.test(key)
      : [resource, `${resource}~queue`, `${resource}~places`].includes(key);
  return keys.flatMap((found, server) => found.filter(isOurs).map((key) => `${key} on ${server}`));
}

/** Resolves when nothing of `resource`, or of any, is left on any server. */
export async function nothingLeft(pool: RedisPool, resource?: string): Promise<void> {
  await eventually(async () => expect(await leftovers(pool, resource)).toEqual([]), LIMIT);
}
