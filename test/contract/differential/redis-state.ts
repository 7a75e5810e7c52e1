import type { Redis } from 'ioredis';
import { counterOf } from '../../../lib/core/port/fencing.js';
import { DATA_OF_OTHERS } from '../../../lib/redis/scripts/protocol.js';
import type { ResourceState } from './side.js';

export const PREFIX = 'lock:';
const WORDS = 6;

/** Looks behind a node: what it has under its keys. */
export async function readState(redis: Redis, resources: readonly string[]): Promise<ResourceState[]> {
  const pipeline = redis.pipeline().pttl(`${PREFIX}~waiting`);
  for (const resource of resources) {
    const key = PREFIX + resource;
    pipeline.type(key).get(key).pttl(key).zrange(`${key}~waiters`, '0', '-1').pttl(`${key}~waiters`);
    pipeline.hget(`${PREFIX}~fence`, counterOf(resource));
  }
  const [mark, ...words] = ((await pipeline.exec()) ?? []).map(([error, word]) => {
    if (error && !error.message.startsWith('WRONGTYPE')) throw error;
    return word;
  });
  return resources.map((resource, index) => {
    const own = words.slice(WORDS * index, WORDS * (index + 1));
    return { resource, ...stateIn(own, mark as number) };
  });
}

function stateIn(words: readonly unknown[], mark: number): Omit<ResourceState, 'resource'> {
  const [type, value, left, line, lineLeft, fence] = words as [
    string,
    string | null,
    number,
    string[],
    number,
    string | null,
  ];
  if (line.length > 0 && (lineLeft <= 0 || mark <= lineLeft)) {
    throw new Error(`a line has ${lineLeft} ms left, and the mark that somebody waits ${mark} ms`);
  }
  return {
    owner: type === 'hash' ? DATA_OF_OTHERS : (value ?? undefined),
    left: left === -1 ? Infinity : Math.max(0, left),
    line: line.map((place) => place.split(' ')[1]!),
    fence: fence === null ? undefined : Number(fence),
  };
}
