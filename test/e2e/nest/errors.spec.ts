import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  ConflictException,
  Controller,
  Get,
  Inject,
  Injectable,
  Post,
  UnprocessableEntityException,
  type ModuleMetadata,
} from '@nestjs/common';
import { InjectRedlock, LockKeyError, RedlockService, WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { CLOSED_PORTS, poolOn, untilFree } from '../../support/nest/nodes.js';
import type { Reply } from '../../support/nest/http-client.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const REJECT = { onContended: 'reject', ttl: 2_500 } as const;

@Injectable()
class Payments {
  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() private readonly redlock: RedlockService,
  ) {}

  @WithLock('pay:<0>', REJECT)
  async pay(id: string | undefined): Promise<string> {
    await this.door.pass(id);
    return 'paid';
  }

  async payByService(id: string | undefined): Promise<string> {
    if (id === undefined) throw new LockKeyError('no id');
    return this.redlock.withLock(`pay:${id}`, () => this.pay(id), { waitTimeout: 0, ttl: 2_500 });
  }
}

@Controller()
class Orders {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Payments) private readonly payments: Payments,
  ) {}

  @Post('by-request')
  @WithLock('pay:<body.id>', REJECT)
  async byRequest(@Body('id') id: string): Promise<string> {
    await this.door.pass(id);
    return 'paid';
  }

  @Post('by-argument')
  @WithLock('pay:<0>', REJECT)
  async byArgument(@Body('id') id: string): Promise<string> {
    await this.door.pass(id);
    return 'paid';
  }

  // The lock is in a method that the handler calls; the handler itself knows nothing of locks.
  @Post('locked-method')
  lockedMethod(@Body('id') id: string | undefined): Promise<string> {
    return this.payments.pay(id);
  }

  @Post('with-lock')
  withLock(@Body('id') id: string | undefined): Promise<string> {
    return this.payments.payByService(id);
  }

  // Its own lock is free; the one further in is not.
  @Post('inner')
  @WithLock('outer:<body.other>', { onContended: 'skip' })
  inner(@Body('id') id: string | undefined): Promise<string> {
    return this.payments.pay(id);
  }

  @Get('conflict')
  @WithLock('own')
  conflict(): never {
    throw new ConflictException({ mine: 'the name is taken' });
  }

  @Get('unprocessable')
  @WithLock('own')
  async unprocessable(): Promise<never> {
    throw new UnprocessableEntityException('mine');
  }

  @Get('failure')
  @WithLock('own')
  async failure(): Promise<never> {
    throw new Error('secret detail');
  }
}

const PATHS = ['by-request', 'by-argument', 'locked-method', 'with-lock', 'inner'];

describe.each(PLATFORMS)('the errors of a lock on %s', (platform) => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two, cut]: TestApp[] = [];
  const start = (pool: ReturnType<typeof poolOn>): Promise<TestApp> => {
    const providers = [Payments, { provide: Door, useValue: door }];
    return TestApp.start(platform, { imports: [pool], controllers: [Orders], providers } satisfies ModuleMetadata);
  };

  beforeAll(async () => {
    servers = await startRedisServers(3);
    [one, two] = await Promise.all([start(poolOn(servers)), start(poolOn(servers))]);
    cut = await start(poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } }));
  });

  beforeEach(() => door.reset());

  afterAll(endAll);

  it.each(PATHS)('answer 409 when another caller holds the lock, and say when to come again: %s', async (path) => {
    door.shut();
    const holder = one!.post('by-request', { id: path });
    await door.untilVisits(1);
    const reply = await two!.post(path, { id: path, other: path });
    expect([reply.status, reply.body]).toEqual([
      409,
      { statusCode: 409, error: 'Conflict', message: expect.any(String), code: 'RESOURCE_LOCKED' },
    ]);
    expect(reply.headers['retry-after']).toMatch(/^[123]$/);
    expect(door.visits).toHaveLength(1);
    door.open();
    expect((await holder).status).toBe(201);
  });

  // The outer lock of "inner" cannot be had either, and that is what it tells.
  it.each(PATHS)('answer 503 where no quorum of nodes can be reached: %s', async (path) => {
    const reply = await cut!.post(path, { id: path, other: path });
    expect([reply.status, reply.body]).toEqual([
      503,
      { statusCode: 503, error: 'Service Unavailable', message: expect.any(String), code: 'QUORUM_NOT_REACHED' },
    ]);
    expect([door.visits, reply.headers['retry-after']]).toEqual([[], '1']);
  });

  it.each(PATHS)('answer 400 where a part of the key is missing: %s', async (path) => {
    const reply = await one!.post(path, { other: path });
    expect([reply.status, reply.body]).toEqual([
      400,
      { statusCode: 400, error: 'Bad Request', message: expect.any(String), code: 'LOCK_KEY' },
    ]);
    expect(door.visits).toEqual([]);
  });

  it.each([{ id: null }, { id: '' }, { id: {} }, { id: ['a'] }, {}])(
    'answer 400 for a body such as %j',
    async (body) => {
      for (const path of ['by-request', 'by-argument']) expect((await one!.post(path, body)).status).toBe(400);
      expect(door.visits).toEqual([]);
    },
  );

  it('tell nothing about nodes and keys to clients', async () => {
    const { body } = await cut!.post('by-request', { id: 'secret-id' });
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|secret-id|ECONN/);
  });

  it('take nothing from the exceptions and errors of the handler', async () => {
    const seen = async (path: string): Promise<[number, unknown]> => {
      const { status, body }: Reply = await one!.get(path);
      return [status, body];
    };
    expect(await seen('conflict')).toEqual([409, { mine: 'the name is taken' }]);
    expect(await seen('unprocessable')).toEqual([
      422,
      { statusCode: 422, error: 'Unprocessable Entity', message: 'mine' },
    ]);
    expect(await seen('failure')).toEqual([500, { statusCode: 500, message: 'Internal server error' }]);
    expect((await one!.get('conflict')).headers['retry-after']).toBeUndefined();
    await untilFree(servers);
  });
});
