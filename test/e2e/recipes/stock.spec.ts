import { expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Pool } from 'pg';
import { shutDoor } from '../../support/nest/shut-door.js';
import { breakLock } from '../../support/recipes/break-lock.js';
import { databaseOf, describeOnPostgres } from '../../support/recipes/database.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';
import { serviceReplicas } from '../../support/recipes/service-replicas.js';

interface Stock {
  sell(sku: string): Promise<void>;
  reorder(sku: string): Promise<void>;
}

interface Page {
  readonly Supplier: Type;
  readonly StockService: Type<Stock>;
}

interface Row {
  readonly units: number;
  readonly ordered: number;
}

/** A lock of each call's own: nobody waits for anybody. */
const WITHOUT_LOCK: Change = ['`stock:${sku}`', '`stock:${Math.random()}`'];
/** Tokens of different locks have no order. */
const ANY_TOKEN: Change = [' AND fence < $2', ' AND $2::bigint > 0'];
const WITHOUT_FENCE: Change = [' AND fence = $2', ' AND $2::bigint > 0'];
const READ_FIRST: Change = [
  "await this.database.query('UPDATE stock SET units = units - 1 WHERE sku = $1 AND units > 0', [sku])",
  "await this.database.query('SELECT units FROM stock WHERE sku = $1 AND units > 0', [sku])" +
    ".then(async (read) => (await this.database.query('UPDATE stock SET units = units - 1 WHERE sku = $1', [sku]), read))",
];

const recipe = new Recipe('docs/recipes/stock.md');

describeOnPostgres(recipe.page, () => {
  const { door, servers } = shutDoor();
  const database = databaseOf(recipe, 'DELETE FROM stock');

  /** The service of two replicas, whose orders at the supplier go through the door. */
  const start = async (...changes: Change[]) => {
    const { Supplier, StockService } = await recipe.run<Page>('stock.service.ts', ...changes);
    const supplier = { order: () => door.pass() };
    const providers = [
      { provide: Pool, useValue: database().pool },
      { provide: Supplier, useValue: supplier },
    ];
    return serviceReplicas(servers, StockService, providers);
  };
  const put = (units: number): Promise<unknown> =>
    database().pool.query("INSERT INTO stock (sku, units) VALUES ('book', $1)", [units]);
  const stock = async (): Promise<Row | undefined> =>
    (await database().rows<Row>('SELECT units, ordered FROM stock'))[0];

  it('sells the last item once, to 20 customers at two replicas', async () => {
    door.open();
    const { services } = await start();
    await put(1);
    const sales = await Promise.allSettled(Array.from({ length: 20 }, (_, call) => services[call % 2]!.sell('book')));
    expect(sales.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await stock()).toEqual({ units: 0, ordered: 100 });
  });

  it('oversells if it reads first', async () => {
    door.open();
    const { services } = await start(READ_FIRST);
    await put(1);
    await Promise.allSettled(Array.from({ length: 20 }, (_, call) => services[call % 2]!.sell('book')));
    expect((await stock())!.units).toBeLessThan(0);
  });

  it.each([
    ['once', [], 1],
    ['twice without the lock', [WITHOUT_LOCK, ANY_TOKEN], 2],
  ] as const)('orders at the supplier %s', async (_, changes, orders) => {
    const { apps, services } = await start(...changes);
    await put(5);
    const first = services[0].reorder('book').catch(() => undefined);
    await door.untilVisits(1);
    const second = services[1].reorder('book').catch(() => undefined);
    await Promise.race([door.untilVisits(2), apps[1].log.until('contended', 'stock:book')]);
    door.open();
    await Promise.all([first, second]);
    expect(door.visits).toHaveLength(orders);
    expect(await stock()).toEqual({ units: 5, ordered: 100 });
  });

  it.each([
    ['refuses', [], 100],
    ['without the fence accepts', [WITHOUT_FENCE], 200],
  ] as const)('%s the write of a holder that stood still', async (_, changes, ordered) => {
    const [one, two] = (await start(...changes)).services;
    await put(5);
    const late = one.reorder('book').then(
      () => 'accepted',
      ({ message }: Error) => message,
    );
    await door.untilVisits(1);
    await breakLock(servers, 'stock:book');
    const second = two.reorder('book');
    await door.untilVisits(2);
    door.open();
    await second;
    if (ordered === 100) expect(await late).toBe('A later holder has this stock');
    await late;
    expect((await stock())!.ordered).toBe(ordered);
  });
});
