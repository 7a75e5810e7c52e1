import { expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { Pool } from 'pg';
import { shutDoor } from '../../support/nest/shut-door.js';
import { breakLock } from '../../support/recipes/break-lock.js';
import { databaseOf, describeOnPostgres } from '../../support/recipes/database.js';
import { Recipe, type Change } from '../../support/recipes/recipe.js';
import { serviceReplicas } from '../../support/recipes/service-replicas.js';

interface Transfers {
  transfer(payer: string, payee: string, amount: number): Promise<void>;
}

interface Page {
  readonly Risk: Type;
  readonly TransferService: Type<Transfers>;
}

type Balances = Readonly<Record<string, number>>;

const RESOURCES = '[`account:${payer}`, `account:${payee}`]';
const WITHOUT_LOCK: Change = [RESOURCES, '`transfer:${Math.random()}`'];
/** Tokens of different locks have no order. */
const ANY_TOKEN: Change = [' AND fence < $2', ' AND $2::bigint > 0'];
const WITHOUT_FENCE: Change = [' AND fence <= $3', ''];

const ACCOUNTS =
  "DELETE FROM accounts; INSERT INTO accounts (id, balance) VALUES ('ann', 100), ('bob', 100), ('carl', 0)";

const recipe = new Recipe('docs/recipes/transfer.md');

const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'paid',
    ({ message }: Error) => message,
  );

describeOnPostgres(recipe.page, () => {
  const { door, servers } = shutDoor();
  const database = databaseOf(recipe, ACCOUNTS);

  /** The service of two replicas, which ask their partner through the door. */
  const start = async (changes: readonly Change[] = []) => {
    const { Risk, TransferService } = await recipe.run<Page>('transfer.service.ts', ...changes);
    const risk = { check: (payer: string) => door.pass(payer) };
    const providers = [
      { provide: Pool, useValue: database().pool },
      { provide: Risk, useValue: risk },
    ];
    return serviceReplicas(servers, TransferService, providers);
  };
  const balances = async (): Promise<Balances> => {
    const rows = await database().rows<{ id: string; balance: number }>('SELECT id, balance FROM accounts');
    return Object.fromEntries(rows.map(({ id, balance }) => [id, balance]));
  };

  it.each([
    ['pays what the account has', [], 'Not enough money', 0],
    ['overdraws the account without lock and fence', [WITHOUT_LOCK, ANY_TOKEN, WITHOUT_FENCE], 'paid', -100],
  ] as const)('%s', async (_, changes, end, balance) => {
    const { apps, services } = await start(changes);
    const first = messageOf(services[0].transfer('ann', 'bob', 100));
    await door.untilVisits(1);
    const second = messageOf(services[1].transfer('ann', 'carl', 100));
    await Promise.race([door.untilVisits(2), apps[1].log.until('contended')]);
    door.open();
    expect(await Promise.all([first, second])).toEqual(['paid', end]);
    expect(await balances()).toEqual({ ann: balance, bob: 200, carl: 0 - balance });
  });

  it('makes opposite transfers at once, on two replicas', async () => {
    door.open();
    const [one, two] = (await start()).services;
    const both = () => [one.transfer('ann', 'bob', 5), two.transfer('bob', 'ann', 5)];
    await Promise.all(Array.from({ length: 10 }, both).flat());
    expect(await balances()).toEqual({ ann: 100, bob: 100, carl: 0 });
    expect(door.visits).toHaveLength(20);
    expect(door.most).toBe(1);
  });

  it('would wait for each other with one lock after the other', async () => {
    const { apps, services } = await start([
      [`${RESOURCES}, async`, '`account:${payer}`, () => this.redlock.withLock(`account:${payee}`, async'],
      [
        'await this.pay({ [payer]: -amount, [payee]: amount }, fencingToken);\n    });',
        'await this.pay({ [payer]: -amount, [payee]: amount }, fencingToken);\n    }, { waitTimeout: 500 }));',
      ],
    ]);
    door.open();
    await using held = await apps[0].redlock.acquire(['account:ann', 'account:bob'], { autoExtend: true });
    const calls = [services[0].transfer('ann', 'bob', 5), services[1].transfer('bob', 'ann', 5)].map(messageOf);
    await Promise.all([apps[0].log.until('contended', 'account:ann'), apps[1].log.until('contended', 'account:bob')]);
    await held.release();
    const hint: unknown = expect.stringContaining('deadlock');
    expect(await Promise.all(calls)).toEqual(expect.arrayContaining([hint]));
  });

  it('changes neither account if the other one is missing', async () => {
    door.open();
    const [one] = (await start()).services;
    expect(await messageOf(one.transfer('ann', 'nobody', 5))).toBe('Account is missing or fenced');
    expect(await balances()).toEqual({ ann: 100, bob: 100, carl: 0 });
  });

  it('refuses a holder that stood still', async () => {
    const [one, two] = (await start()).services;
    const late = messageOf(one.transfer('ann', 'bob', 100));
    await door.untilVisits(1);
    await breakLock(servers, 'account:ann', 'account:bob');
    const second = messageOf(two.transfer('ann', 'bob', 60));
    await door.untilVisits(2);
    door.open();
    expect(await Promise.all([late, second])).toEqual(['Account is missing or fenced', 'paid']);
    expect(await balances()).toEqual({ ann: 40, bob: 160, carl: 0 });
  });
});
