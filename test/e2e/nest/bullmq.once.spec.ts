import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BullModule, getQueueToken, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, Injectable, type ModuleMetadata, type Type } from '@nestjs/common';
import { QueueEvents, type Job, type Queue } from 'bullmq';
import { CurrentCall, Idempotent, type OnceCall, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { Deferred } from '../../support/nest/deferred.js';
import { Door } from '../../support/nest/door.js';
import { poolOn } from '../../support/nest/nodes.js';
import type { Order } from '../../support/nest/order-processors.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServer, startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const QUEUE = 'once';

/** What the workers of both replicas have done. */
class Effects {
  readonly door = new Door();
  readonly done: string[] = [];
  /** Resolves when a worker could not tell the queue how a job has ended. */
  readonly unheard = new Deferred<Error>();
}

@Injectable()
abstract class Packing extends WorkerHost {
  constructor(@Inject(Effects) readonly effects: Effects) {
    super();
  }

  // BullMQ has something of its own to give to a third parameter.
  @Idempotent('job:<0.queueName>:<0.id>')
  async process(job: Job<Order>, _token?: string, @CurrentCall() call?: OnceCall): Promise<object> {
    await this.effects.door.pass(job.id);
    this.effects.done.push(job.data.id);
    return { parcel: this.effects.done.length, attempt: call?.attempt };
  }

  @OnWorkerEvent('error')
  failed(error: Error): void {
    this.effects.unheard.resolve(error);
  }
}

/** Lets its claim on a job end while the job runs, as a worker does whose process stands still. */
@Processor(QUEUE, { lockDuration: 200, skipLockRenewal: true, skipStalledCheck: true })
class Stalling extends Packing {}

/** Takes over what others have let go. */
@Processor(QUEUE, { stalledInterval: 100 })
class Steady extends Packing {}

describe('a job that stalls, and is run again by the worker of another replica,', () => {
  let servers: RedisServer[];
  let broker: RedisServer;
  let effects: Effects;
  let events: QueueEvents;

  beforeAll(async () => {
    [servers, broker] = await Promise.all([startRedisServers(3), startRedisServer()]);
    events = new QueueEvents(QUEUE, { connection: { host: broker.host, port: broker.port } });
    await events.waitUntilReady();
  });

  afterEach(async () => {
    effects.door.open();
    await closeApps();
  });

  afterAll(async () => {
    await events.close();
    await stopAll();
  });

  const start = (processor: Type<Packing>): Promise<TestApp> => {
    const connection = { host: broker.host, port: broker.port };
    const metadata: ModuleMetadata = {
      imports: [
        BullModule.forRoot({ connection }),
        BullModule.registerQueue({ name: QUEUE }),
        poolOn(servers),
        RedlockIdempotencyModule.forRoot({ isGlobal: true }),
      ],
      providers: [processor, { provide: Effects, useValue: effects }],
    };
    return TestApp.start('Express', metadata);
  };

  /** A job that a worker has begun, and will not be heard of. */
  const begun = async (): Promise<{ one: TestApp; queue: Queue<Order>; job: Job<Order>; key: string }> => {
    effects = new Effects();
    effects.door.shut();
    const one = await start(Stalling);
    const queue = one.app.get<Queue<Order>>(getQueueToken(QUEUE));
    const job = await queue.add('pack', { id: '7' });
    await effects.door.untilVisits(1);
    return { one, queue, job, key: `job:${QUEUE}:${job.id}` };
  };

  it('has one effect, and completes with the value of the first run, although that one goes on', async () => {
    const { job, key } = await begun();
    const two = await start(Steady);
    await two.log.until('contended', key);
    expect(effects.door.visits).toEqual([job.id]);
    effects.door.open();
    await expect(job.waitUntilFinished(events)).resolves.toEqual({ parcel: 1, attempt: 1 });
    expect([effects.done, effects.door.visits]).toEqual([['7'], [job.id]]);
    // The job was the other worker's by then.
    expect((await effects.unheard.promise).message).toMatch(/lock/i);
  });

  it('has one effect, and completes with the value of the first run, if its worker ended before it could tell', async () => {
    const { one, queue, job, key } = await begun();
    await one.app.get(Stalling).worker.close(true);
    effects.door.open();
    await one.log.until('kept', key);
    expect([effects.done, await job.isActive()]).toEqual([['7'], true]);
    const two = await start(Steady);
    await expect(job.waitUntilFinished(events)).resolves.toEqual({ parcel: 1, attempt: 1 });
    expect([effects.done, two.log.count('replayed', key)]).toEqual([['7'], 1]);
    expect((await queue.getJob(job.id!))!.stalledCounter).toBe(1);
    // A later job has a key of its own.
    const next = await queue.add('pack', { id: '8' });
    await expect(next.waitUntilFinished(events)).resolves.toEqual({ parcel: 2, attempt: 1 });
  });
});
