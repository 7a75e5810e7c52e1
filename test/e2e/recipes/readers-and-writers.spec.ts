import { afterAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { shutDoor } from '../../support/nest/shut-door.js';
import type { TestApp } from '../../support/nest/test-app.js';
import { removePasted } from '../../support/pasted-code.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';
import { serviceReplicas } from '../../support/recipes/service-replicas.js';

/** Ms: a few hundred locks beside other tests. */
const PATIENCE = 120_000;
const READERS = 8;
const RESOURCE = 'catalogue:shop';
const WITHOUT_ALL: Change = [", take: 'all'", ''];

interface Catalogue {
  read(shop: string): Promise<string>;
  write(shop: string, text: string): Promise<void>;
}

interface Page {
  readonly Files: Type;
  readonly CatalogueService: Type<Catalogue>;
}

/** What somebody does with the files, and when, ms on one clock. */
interface Stay {
  readonly who: 'reader' | 'writer';
  readonly from: number;
  readonly to: number;
}

const recipe = new Recipe('docs/recipes/readers-and-writers.md');

/** The stays at each moment at which one begins, that one included. */
function sweep(stays: readonly Stay[]): Stay['who'][][] {
  return stays.map(({ from }) => stays.filter((stay) => stay.from <= from && from < stay.to).map(({ who }) => who));
}

const isMixed = (together: readonly Stay['who'][]): boolean => together.length > 1 && together.includes('writer');

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  const stays: Stay[] = [];
  let apps: readonly TestApp[];
  let services: readonly Catalogue[];

  afterAll(() => removePasted());

  const start = async (files: object, ...changes: Change[]): Promise<void> => {
    const { Files, CatalogueService } = await recipe.run<Page>('catalogue.service.ts', ...changes);
    ({ apps, services } = await serviceReplicas(servers, CatalogueService, [{ provide: Files, useValue: files }]));
  };
  const through = { read: () => door.pass('reader'), write: () => door.pass('writer') };

  /** Readers and writers at both replicas, again and again. */
  const crowd = async (...changes: Change[]): Promise<Stay['who'][][]> => {
    stays.length = 0;
    const stayAs = (who: Stay['who']) => async () => {
      const from = performance.now();
      await setTimeout(2);
      stays.push({ who, from, to: performance.now() });
    };
    await start({ read: stayAs('reader'), write: stayAs('writer') }, ...changes);
    const again = async (times: number, work: () => Promise<unknown>): Promise<void> => {
      for (let time = 0; time < times; time += 1) await work();
    };
    const workers = services.flatMap((service) => [
      ...Array.from({ length: 6 }, () => again(20, () => service.read('shop'))),
      again(10, () => service.write('shop', 'text')),
    ]);
    await Promise.all(workers);
    expect(stays).toHaveLength(2 * (6 * 20 + 10));
    return sweep(stays);
  };

  it(
    'never has a writer beside anybody, and has several readers at once',
    async () => {
      const together = await crowd();
      expect(together.filter(isMixed)).toEqual([]);
      const most = Math.max(...together.map(({ length }) => length));
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(READERS);
    },
    PATIENCE,
  );

  it(
    'would have writers beside readers if they took one slot',
    async () => {
      expect((await crowd(WITHOUT_ALL)).some(isMixed)).toBe(true);
    },
    PATIENCE,
  );

  it('lets a writer wait for the readers before it, and later readers for the writer', async () => {
    await start(through);
    const first = services[0]!.read('shop');
    await door.untilVisits(1);
    const writing = services[1]!.write('shop', 'text');
    await apps[1]!.log.until('contended', RESOURCE);
    const late = services[0]!.read('shop');
    await apps[0]!.log.until('contended', RESOURCE);
    expect(door.visits).toEqual(['reader']);
    door.open();
    await Promise.all([first, writing, late]);
    expect(door.visits).toEqual(['reader', 'writer', 'reader']);
    expect(door.most).toBe(1);
  });
});
