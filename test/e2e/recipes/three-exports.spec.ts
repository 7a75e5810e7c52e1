import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { TestApp } from '../../support/nest/test-app.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { removePasted } from '../../support/pasted-code.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';
import { serviceReplicas } from '../../support/recipes/service-replicas.js';

const CALLS = 10;
const LOCK = "  @WithLock('exports', { limit: 3, waitTimeout: 120_000 })\n";
const WITHOUT_LOCK: Change = [LOCK, ''];
const WITHOUT_LIMIT: Change = ['limit: 3, ', ''];

interface Exports {
  export(customer: string): Promise<string>;
}

interface Page {
  readonly Reports: Type;
  readonly ExportsService: Type<Exports>;
}

const recipe = new Recipe('docs/recipes/three-exports.md');

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  /** The schemas that are in use, and those that were in use by two exports at once. */
  const busy = new Set<string>();
  const shared: string[] = [];
  let apps: readonly TestApp[];

  beforeEach(() => void shared.splice(0));

  afterAll(() => removePasted());

  const reports = {
    export: async (customer: string, schema: string) => {
      if (busy.has(schema)) shared.push(schema);
      busy.add(schema);
      await door.pass(schema);
      busy.delete(schema);
      return customer;
    },
  };

  /** Exports at two replicas in turn. */
  const exportAll = async (...changes: Change[]): Promise<Promise<string>[]> => {
    const { Reports, ExportsService } = await recipe.run<Page>('exports.service.ts', ...changes);
    const replicas = await serviceReplicas(servers, ExportsService, [{ provide: Reports, useValue: reports }]);
    apps = replicas.apps;
    return Array.from({ length: CALLS }, (_, call) => replicas.services[call % 2]!.export(`customer ${call}`));
  };
  const waiting = (): number => apps.reduce((sum, { log }) => sum + log.count('contended', 'exports'), 0);
  const untilWaiting = async (count: number): Promise<void> => {
    while (waiting() < count)
      await Promise.race(
        apps.map(({ log }) => log.until('contended', 'exports', log.count('contended', 'exports') + 1)),
      );
  };

  it.each([
    ['runs three at once', [], 3],
    ['runs all at once without the lock', [WITHOUT_LOCK], CALLS],
    ['runs one at a time without the limit', [WITHOUT_LIMIT], 1],
  ] as const)('%s, on two replicas together', async (_, changes, most) => {
    const calls = await exportAll(...changes);
    await door.untilVisits(most);
    await untilWaiting(CALLS - most);
    expect(door.inside).toBe(most);
    door.open();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: CALLS }, (_each, call) => `customer ${call}`));
    expect([door.visits.length, door.most]).toEqual([CALLS, most]);
  });

  it('gives each export a schema that no other one has meanwhile', async () => {
    const calls = await exportAll();
    await door.untilVisits(3);
    door.open();
    await Promise.all(calls);
    expect(new Set(door.visits)).toEqual(new Set(['export_0', 'export_1', 'export_2']));
    expect(shared).toEqual([]);
  });
});
