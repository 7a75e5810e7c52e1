import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ModuleMetadata, Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import type { RedlockService } from 'nestjs-redlock';
import { poolOn } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { removePasted } from '../../support/pasted-code.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';

const WITHOUT_LEADER: Change = ['    if (!this.candidate?.isLeader) return;\n', ''];
const WITHOUT_HOLD: Change = ['{ minHold: Math.min(ttlMs, 30_000) }', '{ ttl: ttlMs }'];
/** Ms that node-cron names for one run. */
const TTL = 20_000;

interface Jobs {
  readonly Tasks: Type;
  readonly AllJobs: Type;
}

interface Coordinator {
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
}

interface Coordinators {
  coordinatorOn(redlock: RedlockService): Coordinator;
}

const recipe = new Recipe('docs/recipes/many-jobs.md');

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  let apps: [TestApp, TestApp];

  afterAll(() => removePasted());

  /** Two replicas, the first of which leads. */
  const start = async (...changes: Change[]): Promise<void> => {
    const { Tasks, AllJobs } = await recipe.run<Jobs>('all.jobs.ts', ...changes);
    const tasks = { run: (name: string) => door.pass(name) };
    const metadata = (): ModuleMetadata => ({
      imports: [ScheduleModule.forRoot(), poolOn(servers)],
      providers: [AllJobs, { provide: Tasks, useValue: tasks }],
    });
    const one = await TestApp.start('Express', metadata());
    await one.log.until('elected');
    apps = [one, await TestApp.start('Express', metadata())];
    // The test says when it is time.
    for (const { app } of apps) void app.get(SchedulerRegistry).getCronJob('mails').stop();
  };
  const fire = (app: TestApp): unknown => app.app.get(SchedulerRegistry).getCronJob('mails').fireOnTick();

  it.each([
    ['on the leader', [], 1],
    ['on both replicas without the condition', [WITHOUT_LEADER], 2],
  ] as const)('runs a job %s', async (_, changes, runs) => {
    await start(...changes);
    [...apps].reverse().forEach(fire);
    await door.untilVisits(runs);
    expect(door.visits).toHaveLength(runs);
  });

  it('runs the jobs on the next replica once the leader has stopped', async () => {
    await start();
    const [one, two] = apps;
    await one.close();
    await two.log.until('elected');
    fire(two);
    await door.untilVisits(1);
    expect(door.visits).toEqual(['mails']);
  });

  it.each([
    ['one replica', [], [true, false, false]],
    ['each replica that asks later, without minHold', [WITHOUT_HOLD], [true, true, true]],
  ] as const)('lets node-cron run a job at one time on %s', async (_, changes, answers) => {
    const { coordinatorOn } = await recipe.run<Coordinators>('coordinator.ts', ...changes);
    const replicas = await TestApp.pair('Express', () => ({ imports: [poolOn(servers)] }));
    const [one, two] = replicas.map(({ redlock }) => coordinatorOn(redlock));
    const key = `mails:${randomUUID()}`;
    const asked = [await one!.shouldRun(key, TTL), await two!.shouldRun(key, TTL), await one!.shouldRun(key, TTL)];
    expect(asked).toEqual(answers);
    expect(await two!.shouldRun(`mails:${randomUUID()}`, TTL)).toBe(true);
  });
});
