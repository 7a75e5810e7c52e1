import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Redis } from 'ioredis';
import { shutDoor } from '../../support/nest/shut-door.js';
import type { TestApp } from '../../support/nest/test-app.js';
import { removePasted } from '../../support/pasted-code.js';
import { connectRedis } from '../../support/redis-client.js';
import { startRedisServer } from '../../support/redis-server.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';
import { serviceReplicas } from '../../support/recipes/service-replicas.js';

/** Ms: nodes and replicas are to start beside other tests. */
const PATIENCE = 120_000;
/** At each of two replicas. */
const CALLS = 20;
const LOCK = "@WithLock('prices:<0>', { onContended: 'join' })";

interface Prices {
  prices(shop: string): Promise<string>;
}

interface Page {
  readonly Catalogue: Type;
  readonly PricesService: Type<Prices>;
}

const recipe = new Recipe('docs/recipes/cache-stampede.md');

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  let cache: Redis;

  beforeAll(async () => {
    const server = await startRedisServer();
    cache = await connectRedis(server.url, { enableOfflineQueue: true });
  }, PATIENCE);

  afterEach(() => cache.flushall());

  afterAll(async () => {
    cache.disconnect();
    await removePasted();
  });

  /** Two replicas, whose slow queries go through the door. */
  const start = async (...changes: Change[]) => {
    const { Catalogue, PricesService } = await recipe.run<Page>('prices.service.ts', ...changes);
    const catalogue = { prices: async (shop: string) => door.pass(shop).then(() => `of ${shop}`) };
    const providers = [
      { provide: Redis, useValue: cache },
      { provide: Catalogue, useValue: catalogue },
    ];
    return serviceReplicas(servers, PricesService, providers);
  };
  const callAll = (services: readonly Prices[]): Promise<string[]> =>
    Promise.all(services.flatMap((service) => Array.from({ length: CALLS }, () => service.prices('north'))));
  const locks = (apps: readonly TestApp[]): number => apps.flatMap(({ log }) => log.acquired).length;

  it('runs one query for all callers of two replicas', async () => {
    const { apps, services } = await start();
    const calls = callAll(services);
    await Promise.all(apps.map(({ log }) => log.until('joined', 'prices:north', CALLS - 1)));
    door.open();
    expect(new Set(await calls)).toEqual(new Set(['of north']));
    expect(door.visits).toEqual(['north']);
    expect(locks(apps)).toBe(2);
    expect(await services[0].prices('north')).toBe('of north');
    expect(locks(apps)).toBe(2);
    expect(await cache.pttl('prices:north')).toBeGreaterThan(0);
  });

  it('runs a query for each caller without the lock', async () => {
    const { services } = await start([`  ${LOCK}\n`, '']);
    const calls = callAll(services);
    await door.untilVisits(2 * CALLS);
    door.open();
    await calls;
    expect(door.visits).toHaveLength(2 * CALLS);
  });

  it('runs a query for each replica without the second look', async () => {
    const { apps, services } = await start(['if (found !== null) return found;', '']);
    const calls = callAll(services);
    await Promise.all(apps.map(({ log }) => log.until('joined', 'prices:north', CALLS - 1)));
    door.open();
    await calls;
    expect(door.visits).toHaveLength(2);
  });

  it('takes a lock for each caller if the callers of a process do not join', async () => {
    const { apps, services } = await start([LOCK, "@WithLock('prices:<0>')"]);
    door.open();
    await callAll(services);
    expect([door.visits, locks(apps)]).toEqual([['north'], 2 * CALLS]);
  });
});
