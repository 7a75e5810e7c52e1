import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { RedlockTesting, RedlockTestingModule } from 'nestjs-redlock/testing';
import { AppModule } from './app.module.js';
// oxlint-disable-next-line import/no-unassigned-import -- it registers them
import './matchers.js';
import { OrdersController } from './orders.controller.js';

describe('orders, without Redis', () => {
  let opened: { close(): Promise<void> };

  // A connection to a node would fail.
  beforeEach(() => {
    process.env.REDLOCK_NODES = 'redis://127.0.0.1:1';
  });

  afterEach(() => opened.close());

  it('are placed under a lock', async () => {
    const imports = [RedlockTestingModule.forRoot()];
    const module = await Test.createTestingModule({ imports, controllers: [OrdersController] }).compile();
    opened = module;
    const [orders, testing] = [module.get(OrdersController), module.get(RedlockTesting)];
    const body = { id: 1 };
    const both = [
      testing.asRequest({ body }, () => orders.place(body)),
      testing.asRequest({ body }, () => orders.place(body)),
    ];
    const [first, second] = await Promise.all(both);
    expect(second.token).toBeGreaterThan(first.token ?? Number.NaN);
    expect(second.began).toBeGreaterThanOrEqual(first.ended);
    expect(testing).toHaveAcquired('order:1', 2);
    expect(testing).toHaveNoLocks();
  });

  it('answer 409 when another claim holds the lock', async () => {
    const imports = [AppModule, RedlockTestingModule.forRoot({ clock: 'manual' })];
    const module = await Test.createTestingModule({ imports }).compile();
    const app = module.createNestApplication();
    opened = app;
    await app.listen(0, '127.0.0.1');
    const testing = app.get(RedlockTesting);
    testing.hold('order:1');
    const headers = { 'content-type': 'application/json' };
    const answer = fetch(`${await app.getUrl()}/orders`, { method: 'POST', headers, body: '{ "id": 1 }' });
    await testing.until('contended', 'order:1');
    await testing.advance(30_000); // the application's waitTimeout
    expect((await answer).status).toBe(409);
  });
});
