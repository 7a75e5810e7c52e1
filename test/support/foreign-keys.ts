import type { Redis } from 'ioredis';
import { DATA_OF_OTHERS } from '../../lib/redis/scripts/protocol.js';

/** Plants a key as a foreign client would: a string, or a hash where the value is `DATA_OF_OTHERS`. Without a ttl it never expires. */
export async function plantKey(redis: Redis, key: string, value: string, ttl?: number): Promise<void> {
  const planting = redis.multi().del(key);
  if (value === DATA_OF_OTHERS) planting.hset(key, 'field', 'data');
  else planting.set(key, value);
  if (ttl !== undefined) planting.pexpire(key, ttl);
  for (const [error] of (await planting.exec()) ?? []) if (error) throw error;
}

/** Returns the owner of a key: `DATA_OF_OTHERS` where it is no string, undefined where it is not there. */
export async function ownerOf(redis: Redis, key: string): Promise<string | undefined> {
  const type = await redis.type(key);
  return type === 'none' || type === 'string' ? ((await redis.get(key)) ?? undefined) : DATA_OF_OTHERS;
}
