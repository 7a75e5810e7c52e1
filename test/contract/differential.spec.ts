import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { Census, REACHED } from './differential/census.js';
import { Differential } from './differential/differential.js';
import { Generator } from './differential/generator.js';
import { MemorySide } from './differential/memory-side.js';
import { RedisSide } from './differential/redis-side.js';
import { describeSequence, operationsIn } from './differential/sequence.js';
import { shrink } from './differential/shrink.js';

/** What one test runs; the other one runs more of them by `REDLOCK_TEST_OPERATIONS=1000000`. */
const OPERATIONS = 20_000;
const MORE_OPERATIONS = Number(process.env.REDLOCK_TEST_OPERATIONS ?? OPERATIONS);
/** Any seed, which the name of the test tells; `REDLOCK_TEST_SEED` repeats it. */
const SEED = Number(process.env.REDLOCK_TEST_SEED ?? randomInt(1_000_000, 2 ** 31));
/** So that ttls can be far apart. */
const MAX_TTL = 1_000_000_000;
/** Ms: ten times what it usually takes. */
const TIMEOUT = 30_000 + 2 * MORE_OPERATIONS;

describe('a MemoryNode and a RedisNode that are asked the same, in batches, by several processes', () => {
  let server: RedisServer;
  let memory: MemorySide;
  let redis: RedisSide;
  beforeAll(async () => {
    server = await startRedisServer();
    const terms = { maxTtl: MAX_TTL, epoch: Date.now() * 1_000 };
    memory = new MemorySide(terms);
    redis = await RedisSide.connect(server, terms);
  });
  afterAll(async () => {
    await redis.close();
    await server.stop();
  });

  /** Runs the sequences of one seed after the other. */
  const compare = async (first: number, operations: number, census?: Census): Promise<void> => {
    const differential = new Differential(memory, redis, census);
    for (let [seed, asked] = [first, 0]; asked < operations; seed += 1) {
      const sequence = new Generator(seed, MAX_TTL).sequence();
      if ((await differential.differenceIn(sequence)) !== undefined) await explain(seed);
      asked += operationsIn(sequence);
    }
  };
  /** Throws what is left of a sequence without all that does not matter. */
  const explain = async (seed: number): Promise<never> => {
    const differential = new Differential(memory, redis);
    const sequence = new Generator(seed, MAX_TTL).sequence();
    const shortest = await shrink(sequence, async (one) => (await differential.differenceIn(one)) !== undefined);
    const difference = await differential.differenceIn(shortest);
    throw new Error(`seed ${seed} makes them differ:\n${describeSequence(shortest)}\nthe last step:\n${difference}`);
  };

  it(
    'answer the same, tell the same of grants, and have the same owners, lines and fence counters',
    async () => {
      const census = new Census();
      await compare(1, OPERATIONS, census);
      expect(census.reached(10)).toEqual(REACHED);
    },
    TIMEOUT,
  );

  it(`do so from seed ${SEED} on, too`, () => compare(SEED, MORE_OPERATIONS), TIMEOUT);
});
