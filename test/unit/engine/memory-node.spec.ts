import { describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Operation } from '../../../lib/engine/lock-node.js';
import { MemoryData } from '../../../lib/memory/memory-node.js';

const TTL = 1_000;
/** Bytes that each key or record takes at least, and how many there are. */
const SIZE = 10_000;
const COUNT = 10_000;

describe('a node in memory that nobody asks for the same key twice', () => {
  const text = (index: number): string => Buffer.alloc(SIZE, String(index)).toString('latin1');

  it.each<[string, (index: number) => Operation]>([
    [
      'records',
      (index) => ({
        kind: 'settle',
        resource: `key ${index}`,
        value: 'p.1',
        token: 1,
        fingerprint: null,
        record: text(index),
        ttl: TTL,
      }),
    ],
    [
      'values of locks',
      (index) => ({ kind: 'acquire', resource: `key ${index}`, value: text(index), ttl: TTL, count: 1, proposal: 1 }),
    ],
  ])('forgets %s that have expired', (_, operationOf) => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    let now = 0;
    const data = new MemoryData({ now: () => now, date: () => 1 }, TTL);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < COUNT; index += 1) {
      data.execute('p', [operationOf(index)]);
      now += 10;
    }
    collect();
    // Those of the last second, and as many again as may come before the next look.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(0.3 * SIZE * COUNT);
    expect(data.read('key 0')).toBeUndefined();
  });
});
