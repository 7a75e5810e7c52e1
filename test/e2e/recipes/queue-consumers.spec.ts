import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BullModule, getQueueToken, type WorkerHost } from '@nestjs/bullmq';
import type { ModuleMetadata, Type } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { removePasted } from '../../support/pasted-code.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';

/** Ms: nodes, replicas and a broker are to start beside other tests. */
const PATIENCE = 120_000;
const WITHOUT_LOCK: Change = ["  @WithLock('customer:<0.data.customer>', { onContended: 'reject' })\n", ''];
const WITHOUT_ORDER: Change = ['data.version > version + 1', 'data.version > version + 1_000'];

interface Data {
  readonly customer: string;
  readonly version: number;
}

interface Page {
  readonly Customers: Type;
  readonly ChangesProcessor: Type<WorkerHost>;
  readonly RETRY: JobsOptions;
}

/** What the workers of both replicas report. */
interface Work {
  readonly queue: Queue<Data>;
  readonly errors: Error[];
}

const recipe = new Recipe('docs/recipes/queue-consumers.md');
const locked: unknown = expect.objectContaining({ code: 'RESOURCE_LOCKED', resources: ['customer:ann'] });

describe(recipe.page, () => {
  const { door, servers } = shutDoor();
  /** The changes of each customer, in the order in which they were made. */
  const applied = new Map<string, number[]>();
  let broker: RedisServer;

  const of = (customer: string): number[] => applied.get(customer) ?? [];
  const customers = {
    version: async (customer: string) => Math.max(0, ...of(customer)),
    apply: async ({ customer, version }: Data) => {
      await door.pass(customer);
      applied.set(customer, [...of(customer), version]);
    },
  };

  beforeAll(async () => {
    broker = await startRedisServer();
  }, PATIENCE);

  beforeEach(() => applied.clear());

  afterAll(() => removePasted());

  /** Adds the changes to a queue with a worker at each of two replicas. */
  const start = async (changes: readonly Data[], ...edits: Change[]): Promise<Work> => {
    const { Customers, ChangesProcessor, RETRY } = await recipe.run<Page>('changes.processor.ts', ...edits);
    const bull = { connection: { host: broker.host, port: broker.port }, prefix: randomUUID() };
    const metadata = (): ModuleMetadata => ({
      imports: [BullModule.forRoot(bull), BullModule.registerQueue({ name: 'changes' }), poolOn(servers)],
      providers: [ChangesProcessor, { provide: Customers, useValue: customers }],
    });
    const apps = await TestApp.pair('Express', metadata);
    const errors: Error[] = [];
    for (const { app } of apps) app.get(ChangesProcessor).worker.on('failed', (_job, error) => errors.push(error));
    const queue = apps[0].app.get<Queue<Data>>(getQueueToken('changes'));
    await queue.addBulk(changes.map((data) => ({ name: 'change', data, opts: RETRY })));
    return { queue, errors };
  };
  const untilDone = ({ queue }: Work, jobs: number): Promise<void> =>
    eventually(async () => expect(await queue.getCompletedCount()).toBe(jobs));

  it('changes one customer by one job at a time, and another customer meanwhile', async () => {
    const work = await start([
      { customer: 'ann', version: 1 },
      { customer: 'ann', version: 1 },
      { customer: 'bob', version: 1 },
    ]);
    await door.untilVisits(2);
    await eventually(() => expect(work.errors).toContainEqual(locked));
    expect([...door.visits].sort()).toEqual(['ann', 'bob']);
    door.open();
    await untilDone(work, 3);
    expect([of('ann'), of('bob')]).toEqual([[1], [1]]);
  });

  it('makes a change twice without the lock, if the job comes twice', async () => {
    const twice = [
      { customer: 'ann', version: 1 },
      { customer: 'ann', version: 1 },
    ];
    const work = await start(twice, WITHOUT_LOCK);
    await door.untilVisits(2);
    door.open();
    await untilDone(work, 2);
    expect(of('ann')).toEqual([1, 1]);
  });

  it('makes the changes of a customer in their order, and in another one without the versions', async () => {
    const backwards = [5, 4, 3, 2, 1].flatMap((version) => ['ann', 'bob'].map((customer) => ({ customer, version })));
    door.open();
    await untilDone(await start(backwards), 10);
    expect([of('ann'), of('bob')]).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
    applied.clear();
    await untilDone(await start(backwards, WITHOUT_ORDER), 10);
    expect(of('ann')).not.toEqual([1, 2, 3, 4, 5]);
  });
});
