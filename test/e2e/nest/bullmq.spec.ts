import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { ModuleMetadata } from '@nestjs/common';
import { QueueEvents, type Job, type JobsOptions, type Queue } from 'bullmq';
import { Door } from '../../support/nest/door.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { FailureLog, PROCESSORS, type Order } from '../../support/nest/order-processors.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServer, startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

describe('jobs of a queue with a worker on each of two replicas', () => {
  const door = new Door();
  let log: FailureLog;
  let servers: RedisServer[];
  let broker: RedisServer;
  let [one, two]: TestApp[] = [];
  let events: QueueEvents;

  beforeAll(async () => {
    [servers, broker] = await Promise.all([startRedisServers(3), startRedisServer()]);
  });

  afterAll(() => stopAll());

  /** A worker takes one job at a time, so that a second job goes to the other replica. */
  const withWorkers = async (name: string, work: (queue: Queue<Order>) => Promise<void>): Promise<void> => {
    const connection = { host: broker.host, port: broker.port };
    const metadata = (): ModuleMetadata => ({
      imports: [BullModule.forRoot({ connection }), BullModule.registerQueue({ name }), poolOn(servers)],
      providers: [PROCESSORS[name]!, { provide: Door, useValue: door }, { provide: FailureLog, useValue: log }],
    });
    [one, two] = await TestApp.pair('Express', metadata);
    events = new QueueEvents(name, { connection });
    await events.waitUntilReady();
    try {
      await work(one.app.get<Queue<Order>>(getQueueToken(name)));
    } finally {
      door.open();
      await Promise.all([events.close(), closeApps()]);
    }
  };
  const add = (queue: Queue<Order>, id: string, options?: JobsOptions): Promise<Job<Order>> =>
    queue.add('pack', { id }, options);
  const done = (...jobs: Job<Order>[]): Promise<unknown[]> =>
    Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
  const untilContended = (resource: string): Promise<void> =>
    Promise.race([one!, two!].map((app) => app.log.until('contended', resource)));

  beforeEach(() => {
    door.reset();
    log = new FailureLog();
  });

  it.each(['above', 'below', 'by-function', 'scoped'])(
    'run one after the other where they are about the same thing: %s',
    async (name) => {
      await withWorkers(name, async (queue) => {
        door.shut();
        const first = await add(queue, '7');
        await door.untilVisits(1);
        const second = await add(queue, '7');
        await untilContended('order:7');
        expect([door.inside, await queue.getActiveCount()]).toEqual([1, 2]);
        door.open();
        await expect(done(first, second)).resolves.toEqual(['packed 7', 'packed 7']);
        expect([door.most, door.visits]).toEqual([1, ['7', '7']]);
        await untilFree(servers);
        if (name !== 'above' && name !== 'below') return;
        expect([one!, two!].map(({ app }) => app.get(PROCESSORS[name]!).measured)).toEqual([1, 1]);
      });
    },
  );

  it('run at the same time where they are not', async () => {
    await withWorkers('above', async (queue) => {
      door.shut();
      const jobs = [await add(queue, 'a'), await add(queue, 'b')];
      await door.untilVisits(2);
      expect(door.inside).toBe(2);
      door.open();
      await expect(done(...jobs)).resolves.toEqual(['packed a', 'packed b']);
    });
  });

  it('fail with the error of the lock, and are tried again by the queue', async () => {
    await withWorkers('rejecting', async (queue) => {
      const held = await one!.redlock.acquire('order:7', { autoExtend: true });
      const job = await add(queue, '7', { attempts: 1_000, backoff: { type: 'fixed', delay: 20 } });
      await log.untilFailures(2);
      expect(door.visits).toEqual([]);
      await held.release();
      await expect(done(job)).resolves.toEqual(['under order:7']);
      const refusal: unknown = expect.objectContaining({ code: 'RESOURCE_LOCKED', resources: ['order:7'] });
      expect([door.visits, log.failures]).toEqual([['7'], log.failures.map(() => refusal)]);
    });
  });

  it('fail with their own error, and with that of a key that cannot be made, for good where the queue gives up', async () => {
    await withWorkers('failing', async (queue) => {
      await expect(done(await add(queue, '7'))).rejects.toThrow('out of boxes');
      await expect(done(await queue.add('pack', {} as Order))).rejects.toThrow(
        /args\.0\.data\.id|0\.data\.id is missing/,
      );
      await log.untilFailures(2);
      expect(log.failures).toEqual([new RangeError('out of boxes'), expect.objectContaining({ code: 'LOCK_KEY' })]);
      expect(door.visits).toEqual(['7']);
      await untilFree(servers);
    });
  });
});
