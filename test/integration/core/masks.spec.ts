import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { drawn, masksOf } from '../../support/masks.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

describe.each([5, 4, 2])('each of %i nodes free or taken', (size) => {
  const quorum = Math.floor(size / 2) + 1;
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(size);
    client = await pool.client();
  });
  afterAll(() => pool.stop());

  const isFree = (mask: readonly boolean[]) => drawn(mask, ['free ', 'taken ']).trim();
  const countOf = (mask: readonly boolean[]) => mask.filter(Boolean).length;
  const takeOn = async (mask: readonly boolean[]): Promise<string> => {
    const resource = pool.resource();
    const taken = [...mask.keys()].filter((index) => !mask[index]);
    await Promise.all(taken.map((index) => pool.plant(index, resource)));
    return resource;
  };

  const granted = masksOf(size).filter((mask) => countOf(mask) >= quorum);
  it.each(granted.map((mask) => [isFree(mask), mask]))('is granted: %s', async (_name, mask) => {
    const resource = await takeOn(mask as boolean[]);
    const lock = await client.redlock.tryAcquire(resource);
    expect(lock?.isValid).toBe(true);
    await allDone(client);
    expect(await pool.owners(resource)).toEqual((mask as boolean[]).map((free) => (free ? lock!.value : 'foreign')));
    await lock!.release();
    await allDone(client);
    expect(await pool.owners(resource)).toEqual((mask as boolean[]).map((free) => (free ? null : 'foreign')));
  });

  const refused = masksOf(size).filter((mask) => countOf(mask) < quorum);
  it.each(refused.map((mask) => [isFree(mask), mask]))(
    'is refused, and nothing of ours stays: %s',
    async (_name, mask) => {
      const resource = await takeOn(mask as boolean[]);
      await expect(client.redlock.acquire(resource, { waitTimeout: 0 })).rejects.toMatchObject({
        code: 'RESOURCE_LOCKED',
      });
      await expect(client.redlock.tryAcquire(resource)).resolves.toBeNull();
      await allDone(client);
      expect(await pool.owners(resource)).toEqual((mask as boolean[]).map((free) => (free ? null : 'foreign')));
    },
  );
});

describe('each of 5 nodes up or down', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(5)));
  afterAll(() => pool.stop());

  /** Nothing listens on these ports. */
  const urlOf = (up: boolean, index: number): string => (up ? pool.urls[index]! : `redis://127.0.0.1:${index + 1}`);

  it.each(masksOf(5).map((mask) => [drawn(mask, ['up ', 'down ']).trim(), mask] as const))(
    '%s',
    async (_name, mask) => {
      const resource = pool.resource();
      const client = await pool.client({ nodes: mask.map(urlOf) });
      const taking = client.redlock.acquire(resource, { waitTimeout: 0 });
      const outcome = await taking.catch((error: unknown) => error);
      await allDone(client);
      const up = [...mask.keys()].filter((index) => mask[index]);
      const owners = await pool.owners(resource, up);
      if (up.length >= 3) {
        expect(outcome).toMatchObject({ isValid: true });
        expect(owners).toEqual(up.map(() => (outcome as { value: string }).value));
      } else {
        expect(outcome).toBeInstanceOf(QuorumNotReachedError);
        const error = outcome as QuorumNotReachedError;
        expect(error.nodes.map(({ node }) => node)).toEqual(mask.map(urlOf));
        const down = error.nodes.filter((_node, index) => !mask[index]);
        expect(down.map(({ outcome: said }) => said)).toEqual(down.map(() => 'unknown'));
        expect(down.map(({ detail }) => detail)).toEqual(down.map(() => expect.stringContaining('ECONNREFUSED')));
        for (const index of mask.keys()) expect(error.message).toContain(urlOf(mask[index]!, index));
        expect(owners).toEqual(up.map(() => null));
      }
      await client.redlock.close();
    },
  );
});
