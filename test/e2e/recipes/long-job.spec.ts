import { beforeEach, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import type { LockOptions } from 'nestjs-redlock';
import { Pool } from 'pg';
import { Deferred } from '../../support/nest/deferred.js';
import { poolOn } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { breakLock } from '../../support/recipes/break-lock.js';
import { databaseOf, describeOnPostgres } from '../../support/recipes/database.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';

const LAST = 4;
const WITHOUT_FENCE: Change = [' AND fence = $1"', ' AND $1::bigint > 0"'];
const BRIEF: Change = ['6 * 3_600_000', '300'];

interface Job {
  run(): Promise<void>;
}

interface Page {
  readonly Search: Type;
  readonly ReindexJob: Type<Job>;
}

const recipe = new Recipe('docs/recipes/long-job.md');

describeOnPostgres(recipe.page, () => {
  const { door, servers } = shutDoor();
  const database = databaseOf(recipe, 'DELETE FROM jobs');
  let one: TestApp;
  let two: TestApp;
  let jobs: Job[];
  /** A batch that a test stops, and what each run was told when its lock was lost. */
  let stops = new Map<number, Deferred>();
  const losses: string[] = [];

  beforeEach(() => {
    stops = new Map();
    losses.length = 0;
  });

  /** Does batches until the last one, and pauses where a test says so. */
  const index = async (position: number, signal: AbortSignal): Promise<number | null> => {
    await door.pass(`${position}`);
    const stop = stops.get(position);
    stops.delete(position);
    if (stop) await stop.promise;
    if (signal.aborted) losses.push((signal.reason as { reason: string }).reason);
    return position < LAST ? position + 1 : null;
  };

  const start = async (changes: readonly Change[] = [], defaults: LockOptions = {}): Promise<void> => {
    const { Search, ReindexJob } = await recipe.run<Page>('reindex.job.ts', ...changes);
    door.open();
    [one, two] = await TestApp.pair('Express', () => ({
      imports: [ScheduleModule.forRoot(), poolOn(servers, { defaults, shutdownTimeout: 50 })],
      providers: [ReindexJob, { provide: Pool, useValue: database().pool }, { provide: Search, useValue: { index } }],
    }));
    // The test says when it is time.
    for (const { app } of [one, two]) void app.get(SchedulerRegistry).getCronJob('reindex').stop();
    jobs = [one, two].map(({ app }) => app.get(ReindexJob));
    await database().pool.query("INSERT INTO jobs VALUES ('reindex', 0)");
  };
  const stopAt = (position: number): Deferred => {
    const stop = new Deferred();
    stops.set(position, stop);
    return stop;
  };
  const position = async (): Promise<number | null> =>
    (await database().rows<{ position: number | null }>('SELECT position FROM jobs'))[0]!.position;
  const messageOf = (run: Promise<void>): Promise<string> =>
    run.then(
      () => 'done',
      ({ message }: Error) => message,
    );

  it('runs on one replica at a time, for longer than its ttl', async () => {
    await start([], { ttl: 300 });
    const stop = stopAt(2);
    const run = jobs[0]!.run();
    await one.log.until('extended', 'job:reindex', 5);
    expect(await jobs[1]!.run()).toBeUndefined();
    await two.log.until('skipped', 'job:reindex');
    stop.resolve();
    await run;
    expect([door.visits, await position()]).toEqual([['0', '1', '2', '3', '4'], null]);
    await jobs[1]!.run();
    expect(door.visits).toHaveLength(5);
  });

  it('ends when maxHold is over', async () => {
    await start([BRIEF], { ttl: 300 });
    const stop = stopAt(2);
    const run = messageOf(jobs[0]!.run());
    await one.log.until('lost', 'job:reindex');
    stop.resolve();
    expect(await run).toContain('maxHold');
    expect([losses, await position()]).toEqual([['max_hold'], 2]);
  });

  it('goes on where the replica stopped that was shut down', async () => {
    await start();
    const stop = stopAt(2);
    const run = messageOf(jobs[0]!.run());
    await door.untilVisits(3);
    await one.close();
    stop.resolve();
    expect(await run).toContain('shutting down');
    expect([losses, await position()]).toEqual([['shutdown'], 2]);
    await jobs[1]!.run();
    expect([door.visits, await position()]).toEqual([['0', '1', '2', '2', '3', '4'], null]);
  });

  it.each([
    ['refuses', [], ['0', '1', '2', '2', '3', '4']],
    // It goes back, and does the last batches again.
    ['without the fence takes', [WITHOUT_FENCE], ['0', '1', '2', '2', '3', '4', '3', '4']],
  ] as const)('%s the checkpoint of a replica that stood still', async (_, changes, visits) => {
    // Long enough that no extension tells the first replica of its loss.
    await start(changes, { ttl: 60_000 });
    const stop = stopAt(2);
    const late = messageOf(jobs[0]!.run());
    await door.untilVisits(3);
    await breakLock(servers, 'job:reindex');
    await jobs[1]!.run();
    expect(await position()).toBeNull();
    stop.resolve();
    if (changes.length === 0) expect(await late).toBe('A later run took over');
    await late;
    expect(door.visits).toEqual(visits);
  });
});
