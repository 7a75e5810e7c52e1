import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Body, Controller, Inject, Injectable, Module, Post } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { CurrentLock, RedlockModule, WithLock, type Lock } from 'nestjs-redlock';
import { RedlockTesting, RedlockTestingModule, type RedlockTestingOptions } from 'nestjs-redlock/testing';
import { Door } from '../../support/nest/door.js';
import { CLOSED_PORTS } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';

@Controller()
class Users {
  reason: unknown;

  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('users')
  @WithLock('user:<body.email|trim|lower>')
  async register(@Body('email') email: string): Promise<string> {
    await this.door.pass(email);
    return 'registered';
  }

  @Post('at-once')
  @WithLock('user:<body.email>', { onContended: 'reject' })
  async atOnce(): Promise<string> {
    return 'registered';
  }

  @Post('until-lost')
  @WithLock('user:<body.email>')
  async untilLost(@CurrentLock() { signal }: Lock): Promise<string> {
    await once(signal, 'abort');
    this.reason = signal.reason;
    return 'done all the same';
  }
}

@Injectable()
class Payments {
  @WithLock('payment:<0>', { onContended: 'reject' })
  async pay(_order: string): Promise<void> {}
}

@Controller()
class Orders {
  constructor(@Inject(Payments) private readonly payments: Payments) {}

  @Post('payments')
  pay(@Body('order') order: string): Promise<void> {
    return this.payments.pay(order);
  }
}

@Controller()
class Invoices {
  @Post('invoices')
  @WithLock('invoice:<body.id>', { name: 'billing', onContended: 'reject' })
  async write(): Promise<string> {
    return 'written';
  }
}

const addresses = CLOSED_PORTS.map(({ url }) => url);

/** An application that knows nothing of tests, and whose nodes are not there. */
@Module({
  imports: [
    RedlockModule.forRoot({ nodes: addresses, isGlobal: true }),
    RedlockModule.forRootAsync({ name: 'billing', isGlobal: true, useFactory: async () => ({ nodes: addresses }) }),
  ],
  controllers: [Users, Orders, Invoices],
  providers: [Door, Payments],
})
class AppModule {}

const email = 'ann@b.c';
const REGISTERED = { status: 201, body: 'registered' };
const LOCKED = { status: 409, body: { statusCode: 409, code: 'RESOURCE_LOCKED' } };
const UNAVAILABLE = { status: 503, body: { statusCode: 503, code: 'QUORUM_NOT_REACHED' } };

const alone = (options: RedlockTestingOptions): TestingModuleBuilder =>
  Test.createTestingModule({
    imports: [RedlockTestingModule.forRoot(options)],
    controllers: [Users, Orders],
    providers: [Door, Payments],
  });
const beside = (options: RedlockTestingOptions): TestingModuleBuilder =>
  Test.createTestingModule({ imports: [AppModule, RedlockTestingModule.forRoot(options)] });

afterEach(closeApps);

describe.each([
  ['a controller', 'Express', alone],
  ['a whole application', 'Fastify', beside],
] as const)('under test, %s on %s', (_name, platform, build) => {
  let app: TestApp;
  let testing: RedlockTesting;

  const start = async (options: RedlockTestingOptions = {}): Promise<void> => {
    app = await TestApp.build(platform, build(options));
    testing = app.app.get(RedlockTesting);
  };
  const register = (): ReturnType<TestApp['post']> => app.post('users', { email });

  it('locks without Redis', async () => {
    await start();
    const door = app.app.get(Door);
    door.shut();
    const replies = [app.post('users', { email: ' Ann@b.c' }), register()];
    await door.untilVisits(1);
    await testing.untilWaiting('user:ann@b.c');
    expect([testing.locked(), testing.waiting('user:ann@b.c'), door.visits.length]).toEqual([['user:ann@b.c'], 1, 1]);
    door.open();
    expect(await Promise.all(replies)).toMatchObject([REGISTERED, REGISTERED]);
    expect([testing.locked(), testing.count('acquired', 'user:ann@b.c'), door.most]).toEqual([[], 2, 1]);
  });

  it('answers 409 when another holder has the lock', async () => {
    await start();
    testing.hold(`user:${email}`, { ttl: 60_000 });
    const reply = await app.post('at-once', { email });
    expect(reply).toMatchObject(LOCKED);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('answers 409 as soon as the time to wait has passed on a manual clock', async () => {
    await start({ clock: 'manual', defaults: { waitTimeout: 600_000 } });
    testing.hold(`user:${email}`);
    const reply = register();
    await testing.untilWaiting(`user:${email}`);
    await testing.advance(600_000);
    expect(await reply).toMatchObject(LOCKED);
    expect(app.app.get(Door).visits).toEqual([]);
  });

  it('goes on once the other holder gives the lock back', async () => {
    await start({ clock: 'manual' });
    const held = testing.hold(`user:${email}`);
    const reply = register();
    await testing.untilWaiting(`user:${email}`);
    held.release();
    expect(await reply).toMatchObject(REGISTERED);
  });

  it.each<[string, (node: RedlockTesting['nodes'][number]) => void]>([
    ['down', (node) => node.down()],
    ['frozen', (node) => node.freeze()],
    ['too slow', (node) => node.slow(5_000)],
    ['restarted and not trusted', (node) => node.restart({ quarantine: true })],
  ])('answers 503 if a majority of nodes is %s, and not if a minority is', async (_fault, inject) => {
    await start({ defaults: { waitTimeout: 0 } });
    inject(testing.nodes[0]!);
    expect(await register()).toMatchObject(REGISTERED);
    inject(testing.nodes[1]!);
    expect(await register()).toMatchObject(UNAVAILABLE);
    for (const node of testing.nodes) node.restart();
    expect(await register()).toMatchObject(REGISTERED);
  });

  it('tells a handler that its lock is lost, and its client that it failed', async () => {
    await start();
    const reply = app.post('until-lost', { email });
    await testing.until('acquired', `user:${email}`);
    await testing.loseLock(`user:${email}`);
    expect(await reply).toMatchObject({ status: 500 });
    expect(app.app.get(Users).reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('extends the lock of a handler on a manual clock, and loses it with the nodes', async () => {
    await start({ clock: 'manual' });
    const reply = app.post('until-lost', { email });
    await testing.until('acquired', `user:${email}`);
    await testing.advance(60_000);
    expect([testing.isLocked(`user:${email}`), testing.count('lost')]).toEqual([true, 0]);
    testing.outage();
    await testing.advance(10_000);
    expect(await reply).toMatchObject({ status: 500 });
    expect(app.app.get(Users).reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('has its exceptions and key errors as ever, also if a handler calls a locked method of a service', async () => {
    await start();
    testing.hold('payment:7');
    expect(await app.post('payments', { order: '7' })).toMatchObject(LOCKED);
    expect(await app.post('users', {})).toMatchObject({ status: 400, body: { code: 'LOCK_KEY' } });
  });
});

it('an application under test has its named pools in memory', async () => {
  const app = await TestApp.build('Express', beside({}));
  const billing = app.app.get(RedlockTesting).pool('billing');
  expect(await app.post('invoices', { id: 5 })).toMatchObject({ status: 201 });
  billing.hold('invoice:5');
  expect(await app.post('invoices', { id: 5 })).toMatchObject(LOCKED);
  expect(await app.post('at-once', { email })).toMatchObject(REGISTERED);
});
