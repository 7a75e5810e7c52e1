import { beforeEach, expect, it } from '@jest/globals';
import type { ModuleMetadata, Type } from '@nestjs/common';
import { once } from 'node:events';
import { Pool } from 'pg';
import { eventually } from '../../support/eventually.js';
import { Deferred } from '../../support/nest/deferred.js';
import { poolOn } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { breakLock } from '../../support/recipes/break-lock.js';
import { databaseOf, describeOnPostgres } from '../../support/recipes/database.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';

/** Ms: a lease is to be lost, beside other tests. */
const PATIENCE = 60_000;
const LOCK = 'leader:feed';
const LAST = 4;
const QUICK: Change = ['setTimeout(1_000', 'setTimeout(1'];
const WITHOUT_FENCE: Change = [' AND fence = $1"', ' AND $1::bigint > 0"'];
const WITHOUT_LEADER: Change = [
  "  @Leader('feed')\n",
  `  readonly stop = new AbortController();
  onApplicationBootstrap(): void {
    const number = Number(process.hrtime.bigint());
    void this.poll({ number, signal: this.stop.signal } as Term).catch(() => undefined);
  }
  beforeApplicationShutdown(): void {
    this.stop.abort();
  }
`,
];

interface Page {
  readonly Feed: Type;
  readonly FeedPoller: Type;
}

const recipe = new Recipe('docs/recipes/one-poller.md');

describeOnPostgres(recipe.page, () => {
  const { door, servers } = shutDoor();
  const database = databaseOf(recipe, "DELETE FROM feeds; INSERT INTO feeds VALUES ('orders', 0)");
  let apps: TestApp[];
  /** Where a test stops the replica that comes there first. */
  let stop: { readonly at: number; readonly way: Deferred } | undefined;
  /** The positions that were saved, in order, and how many rows that has changed. */
  const saves: (readonly [position: number, rows: number])[] = [];

  beforeEach(() => {
    stop = undefined;
    saves.length = 0;
  });

  /** Handles one entry at a time until the last one, and then waits for the end of the term. */
  const handleAs = (replica: string) => async (position: number, signal: AbortSignal) => {
    await door.pass(`${replica} ${position}`);
    const way = stop?.at === position ? stop.way : undefined;
    if (way) stop = undefined;
    await way?.promise;
    if (position < LAST) return position + 1;
    if (!signal.aborted) await once(signal, 'abort');
    return position;
  };

  const start = async (...changes: Change[]): Promise<void> => {
    const { Feed, FeedPoller } = await recipe.run<Page>('feed.poller.ts', QUICK, ...changes);
    const query = async (sql: string, values: readonly number[]) => {
      const result = await database().pool.query(sql, [...values]);
      if (values.length > 1) saves.push([values[1]!, result.rowCount!]);
      return result;
    };
    let replicas = 0;
    const metadata = (): ModuleMetadata => ({
      imports: [poolOn(servers)],
      providers: [
        FeedPoller,
        { provide: Pool, useValue: { query } },
        { provide: Feed, useValue: { handle: handleAs(`${(replicas += 1)}`) } },
      ],
    });
    apps = await TestApp.pair('Express', metadata);
  };
  const position = async (): Promise<number> =>
    (await database().rows<{ position: number }>('SELECT position FROM feeds'))[0]!.position;
  const untilAt = (wanted: number): Promise<void> => eventually(async () => expect(await position()).toBe(wanted));
  /** The replica that leads, and the other one. */
  const replicasOf = ([visit]: readonly string[]): [TestApp, TestApp] =>
    visit!.startsWith('1') ? [apps[0]!, apps[1]!] : [apps[1]!, apps[0]!];
  const at = (replica: TestApp, entry: number): string => `${apps.indexOf(replica) + 1} ${entry}`;

  it('polls on one replica', async () => {
    await start();
    await door.untilVisits(1);
    const [, other] = replicasOf(door.visits);
    await other.log.until('contended', LOCK);
    expect(door.inside).toBe(1);
  });

  it('would poll on both replicas without the leader', async () => {
    await start(WITHOUT_LEADER);
    await door.untilVisits(2);
    expect([...door.visits].sort()).toEqual(['1 0', '2 0']);
  });

  it('goes on where the replica stopped that was shut down', async () => {
    await start();
    door.open();
    await door.untilVisits(LAST + 1);
    const [leader, other] = replicasOf(door.visits);
    expect(other.log.count('elected')).toBe(0);
    await leader.close();
    await eventually(() => expect(door.visits.at(-1)).toBe(at(other, LAST)));
    expect(door.visits.slice(0, -1)).toEqual(Array.from({ length: LAST + 1 }, (_, entry) => at(leader, entry)));
    expect(leader.log.events).toContainEqual(expect.objectContaining({ type: 'deposed', reason: 'shutdown' }));
  });

  it.each([
    ['refuses', [], 0],
    ['without the fence takes', [WITHOUT_FENCE], 1],
  ] as const)(
    '%s the position of a paused replica that another one has replaced',
    async (_, changes, rows) => {
      const way = new Deferred();
      stop = { at: 2, way };
      await start(...changes);
      door.open();
      await untilAt(2);
      const [, other] = replicasOf(door.visits);
      await breakLock(servers, LOCK);
      await other.log.until('elected');
      await untilAt(LAST);
      const before = saves.length;
      way.resolve();
      await eventually(() => expect(saves.length).toBeGreaterThan(before));
      // Behind the position that the other replica has saved.
      expect(saves[before]).toEqual([3, rows]);
    },
    PATIENCE,
  );
});
