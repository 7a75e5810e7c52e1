import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { poolOn } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { removePasted } from '../../support/pasted-code.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';

const OPTIONS = "{ onContended: 'skip', minHold: 20_000 }";

type Changes = readonly Change[];
const AS_IT_IS: Changes = [];
const WITHOUT_LOCK: Changes = [
  [`  @WithLock('job:invoices', ${OPTIONS})\n`, ''],
  ['lock.signal', 'new AbortController().signal'],
];
const WAITING: Changes = [[OPTIONS, '{}']];
const SHORT: Changes = [[', minHold: 20_000', '']];

interface Job {
  readonly Invoices: Type;
  readonly InvoicesJob: Type;
}

const recipe = new Recipe('docs/recipes/cron-once.md');

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  let [one, two]: TestApp[] = [];

  afterAll(() => removePasted());

  /** Two replicas; each sends its invoices through the door. */
  const start = async (changes = AS_IT_IS): Promise<void> => {
    const { Invoices, InvoicesJob } = await recipe.run<Job>('invoices.job.ts', ...changes);
    const invoices = { sendAll: () => door.pass() };
    // Of its own: the lock of the last test may still last.
    const keyPrefix = `${randomUUID()}:`;
    [one, two] = await TestApp.pair('Express', () => ({
      imports: [ScheduleModule.forRoot(), poolOn(servers, { keyPrefix })],
      providers: [InvoicesJob, { provide: Invoices, useValue: invoices }],
    }));
  };
  const fire = (app: TestApp): unknown => app.app.get(SchedulerRegistry).getCronJob('invoices').fireOnTick();

  it('runs on both replicas at once without the lock', async () => {
    await start(WITHOUT_LOCK);
    [one!, two!].forEach(fire);
    await door.untilVisits(2);
    expect(door.inside).toBe(2);
  });

  it('runs on one replica', async () => {
    await start();
    fire(one!);
    await door.untilVisits(1);
    fire(two!);
    await two!.log.until('skipped', 'job:invoices');
    expect(door.visits).toHaveLength(1);
  });

  it.each([
    ['on one replica', AS_IT_IS, 1],
    ['on both without minHold', SHORT, 2],
  ])('runs %s, if the clock of the other one is late', async (_, changes, runs) => {
    await start(changes);
    door.open();
    fire(one!);
    await one!.log.until('released', 'job:invoices');
    fire(two!);
    await Promise.race([two!.log.until('skipped', 'job:invoices'), two!.log.until('released', 'job:invoices')]);
    expect(door.visits).toHaveLength(runs);
  });

  it('runs on both, one after the other, with the default', async () => {
    await start(WAITING);
    [one!, two!].forEach(fire);
    await Promise.race([one!, two!].map(({ log }) => log.until('contended', 'job:invoices')));
    await door.untilVisits(1);
    expect(door.inside).toBe(1);
    door.open();
    await door.untilVisits(2);
    expect(door.most).toBe(1);
  });
});
