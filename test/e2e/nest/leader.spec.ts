import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Injectable, Logger, type DynamicModule, type Provider } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus';
import { Leader, RedlockModule, RedlockService, type Term } from 'nestjs-redlock';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';
import { eventually } from '../../support/eventually.js';
import { Deferred } from '../../support/nest/deferred.js';
import { endAll } from '../../support/nest/end-all.js';
import { logLines } from '../../support/nest/log-lines.js';
import { poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const ROLE = 'telegram-bot';

@Injectable()
class Bot {
  readonly terms: Term[] = [];
  /** What is done before another process can lead. */
  stop: () => Promise<void> = async () => undefined;

  @Leader(ROLE, { ttl: 1_000 })
  async run(term: Term): Promise<() => Promise<void>> {
    this.terms.push(term);
    return () => this.stop();
  }

  get isLaunched(): boolean {
    return this.terms.at(-1)?.signal.aborted === false;
  }
}

class Inheriting extends Bot {}

@Injectable()
class Synchronous {
  term: Term | undefined;

  @Leader('synchronous')
  run(term: Term): void {
    this.term = term;
  }
}

@Injectable()
class Invoicing {
  term: Term | undefined;

  @Leader(ROLE, { pool: 'billing' })
  run(term: Term): void {
    this.term = term;
  }
}

@Injectable()
class Faulty {
  @Leader('faulty')
  run(): void {
    throw new Error('on purpose');
  }
}

@Injectable()
class Overlapping {
  readonly terms: Term[] = [];
  readonly end = new Deferred();

  @Leader('overlapping', { stopTimeout: 1 })
  run(term: Term): () => Promise<void> {
    this.terms.push(term);
    return () => this.end.promise;
  }
}

@Controller()
class Pages {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: RedlockHealthIndicator,
  ) {}

  @Get('ping')
  ping(): string {
    return 'pong';
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.locks.check('locks')]);
  }
}

describe('a method with @Leader', () => {
  let servers: RedisServer[];

  const start = (providers: Provider[], pools: DynamicModule[] = [poolOn(servers)]): Promise<TestApp> =>
    TestApp.start('Express', {
      imports: [...pools, TerminusModule.forRoot({ logger: false })],
      controllers: [Pages],
      providers: [RedlockHealthIndicator, ...providers],
    });
  const led = (bot: Bot, terms = 1): Promise<void> =>
    eventually(() => expect([bot.isLaunched, bot.terms.length]).toEqual([true, terms]));

  beforeEach(async () => void (servers = await startRedisServers(3)));
  afterEach(async () => {
    jest.restoreAllMocks();
    await endAll();
  });

  it('leads on one replica after the start, and on the next one after the first has shut down', async () => {
    const first = await start([Bot]);
    await led(first.app.get(Bot));
    const second = await start([Bot]);
    expect((await second.redlock.leader(ROLE))?.term).toBe(first.app.get(Bot).terms[0]!.number);
    await second.redlock.withLock('between', () => expect(second.app.get(Bot).terms).toEqual([]));
    await first.close();
    await led(second.app.get(Bot));
    const [[earlier], [later]] = [first.app.get(Bot).terms, second.app.get(Bot).terms];
    expect(await earlier!.ended).toBe('shutdown');
    expect(later!.number).toBeGreaterThan(earlier!.number);
  });

  it('resigns in app.close() while the process still answers, and has its clean-up awaited', async () => {
    const app = await start([Bot]);
    const bot = app.app.get(Bot);
    await led(bot);
    const [stopping, stopped] = [new Deferred(), new Deferred()];
    bot.stop = () => (stopping.resolve(), stopped.promise);
    const closing = app.close();
    await stopping.promise;
    expect(bot.isLaunched).toBe(false);
    expect(await app.get('ping')).toMatchObject({ status: 200 });
    // The role is not free before the clean-up is over.
    const other = await start([]);
    expect(await other.redlock.tryAcquire(`leader:${ROLE}`)).toBeNull();
    expect(await app.get('ping')).toMatchObject({ status: 200 });
    stopped.resolve();
    await closing;
    expect(await other.redlock.tryAcquire(`leader:${ROLE}`)).not.toBeNull();
  });

  it('leads also if it is inherited, synchronous, or of a provider with useFactory or useValue', async () => {
    const [made, value] = [new Bot(), new Synchronous()];
    const app = await start([
      { provide: 'made', useFactory: async () => made },
      { provide: 'value', useValue: value },
    ]);
    await led(made);
    // The term goes on after the method has returned.
    await eventually(() => expect([value.term?.name, value.term?.signal.aborted]).toEqual(['synchronous', false]));
    await app.close();
    const { app: inheriting } = await start([Inheriting]);
    await led(inheriting.get(Inheriting));
  });

  it('campaigns once if its provider has an alias', async () => {
    const app = await start([Bot, { provide: 'alias', useExisting: Bot }]);
    const bot = app.app.get(Bot);
    expect(app.app.get('alias')).toBe(bot);
    await led(bot);
    expect(app.log.events.filter(({ type }) => type === 'campaigning')).toHaveLength(1);
  });

  it('leads under the pool that `pool` names', async () => {
    const billing = poolOn(servers, { name: 'billing', keyPrefix: 'billing:' });
    const { app } = await start([Bot, Invoicing], [poolOn(servers), billing]);
    await led(app.get(Bot));
    await eventually(() => expect(app.get(Invoicing).term?.signal.aborted).toBe(false));
  });

  it('leads without nodes with `enabled: false`', async () => {
    const { app } = await start([Bot], [RedlockModule.forRoot({ enabled: false })]);
    await led(app.get(Bot));
    expect(() => app.get(Bot).terms[0]!.assertValid()).not.toThrow();
  });

  it('leaves readiness up on replicas that do not lead', async () => {
    const [leader, other] = [await start([Bot]), await start([Bot])];
    await eventually(() => expect(leader.app.get(Bot).terms.length + other.app.get(Bot).terms.length).toBe(1));
    for (const app of [leader, other])
      await eventually(async () =>
        expect(await app.get('ready')).toMatchObject({ status: 200, body: { details: { locks: { status: 'up' } } } }),
      );
  });

  it('lets an application start whose RedlockService is a test double without `lead`', async () => {
    const module = await import('@nestjs/testing');
    const builder = module.Test.createTestingModule({ imports: [poolOn(servers)], providers: [Bot] });
    const app = await builder.overrideProvider(RedlockService).useValue({}).compile();
    await expect(app.init()).resolves.toBeDefined();
    expect(app.get(Bot).terms).toEqual([]);
    await app.close();
  });

  it('is in the log when it leads, and when it no longer does', async () => {
    const lines = logLines('log');
    const app = await start([Bot]);
    await led(app.app.get(Bot));
    await app.close();
    expect(lines.filter((line) => line.includes(ROLE))).toEqual([
      expect.stringMatching(/^log: This process leads "telegram-bot", term \d+$/),
      expect.stringMatching(/^log: This process no longer leads "telegram-bot", after \d+ s: shutdown$/),
    ]);
  });

  it('is in the log with REDLOCK_W28 if it throws', async () => {
    const errors: string[] = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void errors.push(String(line)));
    await start([Faulty]);
    await eventually(() => expect(errors.join()).toMatch(/The work of the leader of "faulty" threw: on purpose\./));
    expect(errors.find((line) => line.includes('faulty'))).toContain('REDLOCK_W28');
  });

  it('is in the log with REDLOCK_W29 if an earlier term is still running', async () => {
    const lines = logLines('warn');
    const app = await start([Overlapping]);
    const work = app.app.get(Overlapping);
    await eventually(() => expect(work.terms).toHaveLength(1));
    await work.terms[0]!.resign();
    await eventually(() => expect(work.terms).toHaveLength(2));
    expect(work.terms.map(({ overlap }) => overlap)).toEqual([false, true]);
    const line = lines.find((one) => one.includes('"overlapping" is still running after its stopTimeout'));
    expect(line).toContain('REDLOCK_W29');
    work.end.resolve();
  });
});
