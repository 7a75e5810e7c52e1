import { randomUUID } from 'node:crypto';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  type NestInterceptor,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { RedlockService } from 'nestjs-redlock';
import { Pool } from 'pg';
import { concatMap, defer, map, type Observable } from 'rxjs';
import {
  CurrentCall,
  getIdempotencyToken,
  Idempotency,
  Idempotent,
  InjectIdempotency,
  memoryStore,
  type OnceCall,
  postgresReplyTable,
  postgresStore,
  RedlockIdempotencyModule,
} from 'nestjs-redlock/idempotency';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { HAS_POSTGRES, startPostgres, type Postgres } from '../../support/postgres.js';
import { type RedisServer, startRedisServers, stopAll } from '../../support/redis-server.js';
import { call, type RawReply } from './http-call.js';

/** What has happened in all replicas, in order. */
class Trail {
  readonly steps: string[] = [];

  count(step: string): number {
    return this.steps.filter((one) => one === step).length;
  }
}

let servers: RedisServer[];
let trail: Trail;
let key: string;

beforeAll(async () => {
  servers = await startRedisServers(3);
});

beforeEach(() => {
  trail = new Trail();
  key = randomUUID();
});

afterEach(closeApps);
afterAll(() => stopAll());

const bodiesOf = (replies: readonly RawReply[]): string[] => [...new Set(replies.map(({ text }) => text))];
const statusesOf = (replies: readonly RawReply[]): number[] => [...new Set(replies.map(({ status }) => status))];

@Controller('orders')
class Orders {
  constructor(@Inject(Trail) private readonly past: Trail) {}

  @Post()
  @Idempotent()
  async create(): Promise<object> {
    this.past.steps.push('run');
    return { id: this.past.count('run') };
  }
}

const ordersOn = (imports: NonNullable<ModuleMetadata['imports']>): ModuleMetadata => ({
  imports: [poolOn(servers), ...imports],
  controllers: [Orders],
  providers: [{ provide: Trail, useValue: trail }],
});

describe('RedlockIdempotencyModule.forRootAsync', () => {
  class Config {
    readonly idempotency: { principal?: string; keep: number; docs: string } = {
      principal: '<headers.x-user>',
      keep: 5_000_000,
      docs: 'https://example.org/keys',
    };
  }

  const asyncModule = (config: Config): NonNullable<ModuleMetadata['imports']>[number] => {
    @Module({ providers: [{ provide: Config, useValue: config }], exports: [Config] })
    class ConfigModule {}
    return RedlockIdempotencyModule.forRootAsync({
      isGlobal: true,
      imports: [ConfigModule],
      inject: [Config],
      useFactory: async ({ idempotency }: Config) => ({ ...idempotency, store: memoryStore() }),
    });
  };

  it('takes its options from what it injects', async () => {
    const { url, app } = await TestApp.start('Express', ordersOn([asyncModule(new Config())]));
    const replies = [
      await call(url, 'orders', { key }),
      await call(url, 'orders', { key }),
      await call(url, 'orders', { key, user: 'bob' }),
    ];
    expect(replies.map(({ text }) => text)).toEqual(['{"id":1}', '{"id":1}', '{"id":2}']);
    const refused = await call(url, 'orders');
    expect([refused.status, refused.headers.link]).toEqual([400, '<https://example.org/keys>; rel="describedby"']);
    const idempotency = app.get(Idempotency);
    await idempotency.once(key, async () => 1);
    const { expiresIn = 0 } = (await idempotency.peek(key)) ?? {};
    expect(expiresIn).toBeGreaterThan(3_600_000);
    expect(expiresIn).toBeLessThanOrEqual(5_000_000);
  });

  it.each<[string, Partial<Config['idempotency']>, string]>([
    ['a wrong option', { keep: 0 }, 'RedlockIdempotencyModule: keep must be'],
    ['no principal where a handler needs one', { principal: undefined }, '@Idempotent on Orders.create'],
  ])('fails the start by %s', async (_case, wrong, message) => {
    const config = { idempotency: { ...new Config().idempotency, ...wrong } };
    const builder = Test.createTestingModule(ordersOn([asyncModule(config)]));
    await expect(builder.compile()).rejects.toThrow(message);
  });

  it('is made by a class', async () => {
    @Injectable()
    class Settings {
      createRedlockIdempotencyOptions(): { principal: string } {
        return { principal: '<headers.x-user>' };
      }
    }
    const imports = [RedlockIdempotencyModule.forRootAsync({ isGlobal: true, useClass: Settings })];
    const { url } = await TestApp.start('Express', ordersOn(imports));
    expect(bodiesOf([await call(url, 'orders', { key }), await call(url, 'orders', { key })])).toEqual(['{"id":1}']);
  });
});

describe('RedlockIdempotencyModule of a named pool', () => {
  @Controller('bills')
  class Bills {
    constructor(
      @Inject(Trail) private readonly past: Trail,
      @InjectIdempotency('billing') readonly idempotency: Idempotency,
    ) {}

    @Post()
    @Idempotent('bill:<body.id>', { name: 'billing' })
    async create(@CurrentCall() { lock }: OnceCall): Promise<object> {
      this.past.steps.push('run');
      return { run: this.past.count('run'), lock: lock.resources };
    }

    @Post('by-hand')
    async byHand(): Promise<object> {
      return this.idempotency.once('by hand', async () => {
        this.past.steps.push('run');
        return { run: this.past.count('run') };
      });
    }
  }

  const named = (billing: readonly RedisServer[]): ModuleMetadata => ({
    imports: [
      poolOn(servers),
      poolOn(billing, { name: 'billing' }),
      RedlockIdempotencyModule.forRoot({ isGlobal: true, name: 'billing' }),
    ],
    controllers: [Bills],
    providers: [{ provide: Trail, useValue: trail }],
  });

  it('takes the locks of that pool, and keeps the replies there', async () => {
    const billing = await startRedisServers(3);
    const [one, two] = await TestApp.pair('Express', () => named(billing));
    const body = JSON.stringify({ id: key });
    const replies = [await call(one.url, 'bills', { body }), await call(two.url, 'bills', { body })];
    const resource = `bill:${key}`;
    expect(replies.map(({ text }) => JSON.parse(text) as unknown)).toEqual(Array(2).fill({ run: 1, lock: [resource] }));
    expect(replies.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    await call(one.url, 'bills/by-hand');
    expect((await call(two.url, 'bills/by-hand')).text).toBe('{"run":2}');
    const idempotency = two.app.get<Idempotency>(getIdempotencyToken('billing'));
    expect(idempotency).toBe(two.app.get(Bills).idempotency);
    expect(await idempotency.peek(resource)).toMatchObject({ state: 'kept', attempts: 1 });
    expect(() => two.app.get(Idempotency)).toThrow();
    expect(one.log.events.filter(({ type }) => ['acquired', 'kept'].includes(type))).toEqual([]);
    // The nodes of the other pool are not needed.
    await stopAll(billing);
    expect((await call(two.url, 'bills', { body })).status).toBe(503);
  });

  it('beside one without a name keeps two replies under one key', async () => {
    const billing = await startRedisServers(3);
    const { imports = [], ...metadata } = named(billing);
    const { app } = await TestApp.start('Express', {
      ...metadata,
      imports: [...imports, RedlockIdempotencyModule.forRoot({ isGlobal: true })],
    });
    const both = [app.get(Idempotency), app.get<Idempotency>(getIdempotencyToken('billing'))];
    expect(await Promise.all(both.map((each, index) => each.once(key, async () => index)))).toEqual([0, 1]);
    expect(await Promise.all(both.map((each) => each.once(key, async () => 2)))).toEqual([0, 1]);
  });
});

describe('the start of an application', () => {
  const starting = (metadata: ModuleMetadata): Promise<unknown> =>
    Test.createTestingModule(metadata)
      .compile()
      .then((module) => module.init());

  it('fails without RedlockModule, and names what is missing', async () => {
    await expect(starting({ imports: [RedlockIdempotencyModule.forRoot()] })).rejects.toThrow(
      'RedlockIdempotencyModule needs RedlockModule.forRoot({ nodes }) among the imports of the application',
    );
    const imports = [poolOn(servers), RedlockIdempotencyModule.forRoot({ name: 'billing' })];
    await expect(starting({ imports })).rejects.toThrow("RedlockModule.forRoot({ name: 'billing', nodes })");
  });

  it.each<[string, () => NonNullable<ModuleMetadata['imports']>]>([
    ['without RedlockIdempotencyModule', () => []],
    [
      'with that of another pool',
      () => [
        poolOn([{ url: 'redis://127.0.0.1:1' }], { name: 'billing' }),
        RedlockIdempotencyModule.forRoot({ isGlobal: true, name: 'billing' }),
      ],
    ],
  ])('fails by @Idempotent %s', async (_case, imports) => {
    @Injectable()
    class Mails {
      @Idempotent('mail:<0>')
      async send(_to: string): Promise<void> {}
    }
    await expect(starting({ imports: [poolOn(servers), ...imports()], providers: [Mails] })).rejects.toThrow(
      '@Idempotent needs RedlockIdempotencyModule.forRoot() among the imports of the module',
    );
    await expect(starting(ordersOn(imports()))).rejects.toThrow(/RedlockIdempotencyModule|"Idempotency" at index/);
  });
});

/** As interceptors do that open a transaction for a whole request. */
@Injectable()
class Transactions implements NestInterceptor {
  constructor(@Inject(Trail) private readonly past: Trail) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { steps } = this.past;
    return defer(() => {
      steps.push('begin');
      return next.handle().pipe(concatMap(async (value: unknown) => (steps.push('commit'), value)));
    });
  }
}

class Envelope implements NestInterceptor {
  constructor(private readonly steps: string[]) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.steps.push('enter');
    return next.handle().pipe(map((data: unknown) => (this.steps.push('leave'), { data })));
  }
}

describe.each(PLATFORMS)('interceptors of an application on %s', (platform) => {
  @Controller('orders')
  @UseInterceptors(Transactions)
  class InTransaction {
    constructor(@Inject(Trail) private readonly past: Trail) {}

    @Post()
    @Idempotent()
    async create(): Promise<object> {
      this.past.steps.push('run');
      return { id: this.past.count('run') };
    }
  }

  it('are inside: they run once, before the reply is kept, and not for a replay', async () => {
    const metadata = (): ModuleMetadata => ({
      imports: [poolOn(servers), RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<headers.x-user>' })],
      controllers: [InTransaction],
      providers: [{ provide: Trail, useValue: trail }],
    });
    const [one, two] = await TestApp.pair(platform, metadata, (app) => {
      app.useGlobalInterceptors(new Envelope(trail.steps));
      app.get(RedlockService).events$.subscribe(({ type }) => type === 'kept' && trail.steps.push(type));
    });
    const first = await call(one.url, 'orders', { key });
    expect(trail.steps).toEqual(['enter', 'begin', 'run', 'commit', 'leave', 'kept']);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(index % 2 === 0 ? one.url : two.url, 'orders', { key })),
    );
    expect(bodiesOf([first, ...replies])).toEqual(['{"data":{"id":1}}']);
    expect(trail.steps).toHaveLength(6);
    // At once, and for a key that nobody has seen.
    key = randomUUID();
    const rivals = await Promise.all([one, two, one, two].map(({ url }) => call(url, 'orders', { key })));
    expect(bodiesOf(rivals)).toEqual(['{"data":{"id":2}}']);
    expect(['enter', 'begin', 'run', 'commit', 'leave'].map((step) => trail.count(step))).toEqual([2, 2, 2, 2, 2]);
  });
});

(HAS_POSTGRES ? describe : describe.skip)('a handler that keeps its reply in its transaction', () => {
  let postgres: Postgres;
  let pool: Pool;

  @Controller('payments')
  class Payments {
    @Post(':shape')
    @Idempotent()
    async pay(@Param('shape') shape: string, @CurrentCall() once: OnceCall): Promise<object> {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const { rows } = await client.query<{ id: string }>('INSERT INTO payment (request) VALUES ($1) RETURNING id', [
          key,
        ]);
        const receipt = { receipt: rows[0]!.id };
        await once.keepIn(client, shape === 'whole' ? { data: receipt } : receipt);
        await client.query('COMMIT');
        return receipt;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    }
  }

  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.url, max: 20 });
    await pool.query(postgresReplyTable());
    await pool.query('CREATE TABLE IF NOT EXISTS payment (id uuid DEFAULT gen_random_uuid(), request text)');
  }, 60_000);

  afterAll(async () => {
    await closeApps();
    await pool.end();
    await postgres.stop();
  });

  const start = (): Promise<[TestApp, TestApp]> =>
    TestApp.pair(
      'Express',
      () => ({
        imports: [
          poolOn(servers),
          RedlockIdempotencyModule.forRoot({
            isGlobal: true,
            principal: '<headers.x-user>',
            store: postgresStore({ query: (text, values) => pool.query(text, values) }),
          }),
        ],
        controllers: [Payments],
      }),
      (app) => app.useGlobalInterceptors(new Envelope(trail.steps)),
    );
  const send = (apps: readonly TestApp[], path: string): Promise<RawReply[]> =>
    Promise.all(Array.from({ length: 20 }, (_, index) => call(apps[index % 2]!.url, `payments/${path}`, { key })));
  const receipts = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM payment WHERE request = $1', [key]);
    return rows.map(({ id }) => id);
  };

  it('has one effect for 20 requests, and all get what the envelope has made of it', async () => {
    const apps = await start();
    const replies = await send(apps, 'whole');
    const [receipt, ...others] = await receipts();
    expect(others).toEqual([]);
    expect(statusesOf(replies)).toEqual([201]);
    expect(bodiesOf(replies)).toEqual([`{"data":{"receipt":"${receipt}"}}`]);
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19);
    expect(apps.map(({ log }) => log.count('reply-differs'))).toEqual([0, 0]);
    expect(trail.count('enter')).toBe(1);
  });

  it('has one effect, and tells that the envelope has made another reply of what was kept', async () => {
    const apps = await start();
    const replies = await send(apps, 'bare');
    expect(await receipts()).toHaveLength(1);
    expect(statusesOf(replies)).toEqual([201]);
    expect(apps[0].log.count('reply-differs') + apps[1].log.count('reply-differs')).toBe(1);
    const late = await Promise.all(apps.map(({ url }) => call(url, 'payments/bare', { key })));
    expect(bodiesOf(late)).toEqual([`{"receipt":"${(await receipts())[0]}"}`]);
  });
});
