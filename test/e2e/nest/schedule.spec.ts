import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, Inject, Injectable, Logger, type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { Door } from '../../support/nest/door.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';

// Never by itself while a test runs: the tests fire it.
const YEARLY = '0 0 1 1 *';

@Injectable()
class CronJobs {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Cron(YEARLY, { name: 'above' })
  @WithLock('nightly')
  async above(): Promise<void> {
    await this.door.pass('above');
  }

  @WithLock('nightly')
  @Cron(YEARLY, { name: 'below' })
  async below(): Promise<void> {
    await this.door.pass('below');
  }

  @Cron(YEARLY, { name: 'reject' })
  @WithLock('nightly', { onContended: 'reject' })
  async reject(): Promise<void> {
    await this.door.pass('reject');
  }

  @Cron(YEARLY, { name: 'skip' })
  @WithLock('nightly', { onContended: 'skip' })
  async skip(@CurrentLock() lock?: Lock): Promise<void> {
    await this.door.pass(`skip under ${lock?.resources[0]}`);
  }
}

const ANN = 'user:ann@example.com';

@Injectable()
class LoggedJobs {
  @Cron(YEARLY, { name: 'logged' })
  @WithLock(ANN, { onContended: 'reject' })
  async run(): Promise<void> {}
}

@Injectable()
class IntervalJobs {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Interval(5)
  @WithLock('often', { onContended: 'skip' })
  async often(): Promise<void> {
    await this.door.pass('often');
  }

  @WithLock('often', { onContended: 'skip' })
  @Interval(7)
  async asOften(): Promise<void> {
    await this.door.pass('asOften');
  }

  @Timeout(1)
  @WithLock('often')
  async once(): Promise<void> {
    await this.door.pass('once');
  }
}

describe('scheduled methods of two replicas', () => {
  const { door, servers } = shutDoor();
  let [one, two]: TestApp[] = [];

  const start = async (
    Jobs: new (door: Door) => object,
    configure?: (nest: INestApplication) => void,
  ): Promise<void> => {
    const metadata = (): ModuleMetadata => ({
      imports: [ScheduleModule.forRoot(), poolOn(servers)],
      providers: [Jobs, { provide: Door, useValue: door }],
    });
    [one, two] = await TestApp.pair('Express', metadata, configure);
  };
  const fire = (app: TestApp, name: string): unknown => app.app.get(SchedulerRegistry).getCronJob(name).fireOnTick();

  it.each([
    ['above', 'above'],
    ['below', 'below'],
    ['above', 'below'],
  ])('run one after the other, whatever the order of the decorators: @Cron %s and %s', async (first, second) => {
    await start(CronJobs);
    fire(one!, first);
    await door.untilVisits(1);
    fire(two!, second);
    await two!.log.until('contended', 'nightly');
    expect(door.inside).toBe(1);
    door.open();
    await door.untilVisits(2);
    await untilFree(servers);
    expect([door.most, door.visits]).toEqual([1, [first, second]]);
  });

  it('run on one of them where the others skip', async () => {
    await start(CronJobs);
    fire(one!, 'skip');
    await door.untilVisits(1);
    fire(two!, 'skip');
    await two!.log.until('skipped', 'nightly');
    door.open();
    await untilFree(servers);
    expect(door.visits).toEqual(['skip under nightly']);
  });

  it('leave it to the log of Nest where they cannot have the lock', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await start(CronJobs);
    await using held = await two!.redlock.acquire('nightly');
    await fire(one!, 'reject');
    await eventually(() => expect(logged).toHaveBeenCalledTimes(1));
    const refusal: unknown = expect.objectContaining({ code: 'RESOURCE_LOCKED', resources: held.resources });
    expect([door.visits, logged.mock.calls[0]]).toEqual([[], [refusal]]);
    logged.mockRestore();
  });

  it('run one after the other at intervals, too', async () => {
    await start(IntervalJobs);
    await Promise.all([
      door.untilVisits(1),
      one!.log.until('contended', 'often', 3),
      two!.log.until('contended', 'often', 3),
    ]);
    expect(door.inside).toBe(1);
    door.open();
    // Both timeouts wait for their turn among the intervals.
    await door.untilVisits(8);
    expect(door.most).toBe(1);
    expect(door.visits.length).toBeGreaterThanOrEqual(8);
  });

  describe('that cannot have their lock', () => {
    /** Starts with a logger of Nest; resolves to what it writes, each time that it does. */
    const startLogging = async (json: boolean): Promise<string[]> => {
      const written: string[] = [];
      await start(LoggedJobs, (nest) =>
        nest.useLogger(new ConsoleLogger({ json, colors: false, logLevels: ['error'] })),
      );
      jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
        written.push(String(text));
        return true;
      });
      return written;
    };

    afterEach(() => {
      jest.restoreAllMocks();
    });

    it.each([false, true])(
      'has one short line in the log when another caller holds the lock; JSON: %s',
      async (json) => {
        const written = await startLogging(json);
        const lock = await two!.redlock.acquire(ANN);
        await fire(one!, 'logged');
        await eventually(() => expect(written).not.toEqual([]));
        expect(written).toHaveLength(1);
        const [line] = written;
        expect(line).not.toMatch(/ann@/);
        const words = json
          ? String.raw`\"user:*\" is locked`
          : 'ResourceLockedError: "user:*" is locked by another holder\n';
        expect(line).toContain(words);
        // What is written for machines has the whole stack in a field of its own.
        if (!json) expect(line).not.toMatch(/[\\/]lib[\\/]|node:internal/);
        expect(line!.trim().split('\n')).toHaveLength(1);
        await lock.release();
      },
    );

    it('has the reason in it once if nodes refuse', async () => {
      const written = await startLogging(false);
      for (const { url } of servers) await withRedis(url, (redis) => redis.config('SET', 'maxmemory', '1'));
      await fire(one!, 'logged');
      await eventually(() => expect(written.join('')).toContain('QuorumNotReachedError'));
      const failures = written.filter((line) => line.includes('QuorumNotReachedError'));
      expect(failures).toHaveLength(1);
      // Of each node, unless all was decided before it answered; and not again in a list of nodes.
      expect([2, 3]).toContain(failures[0]!.match(/OOM/g)!.length);
      expect(failures[0]).not.toMatch(/outcome|detail/);
      for (const { url } of servers) await withRedis(url, (redis) => redis.config('SET', 'maxmemory', '0'));
    });
  });
});
