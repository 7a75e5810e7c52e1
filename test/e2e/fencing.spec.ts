import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { inspect } from 'node:util';
import { printed, programs, statement } from '../support/fencing-page.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

interface Outcome {
  readonly late: string;
  readonly balance: number;
}

interface Example {
  readonly outcomes: { readonly fenced: Outcome; readonly unfenced: Outcome };
}

/** Runs the example beside its service, as a reader would who pastes both. */
async function run(): Promise<Example> {
  const pasted = await PastedCode.write(programs());
  return pasted.run<Example>('paused-holder.ts');
}

afterEach(removePasted);

describe('the example of docs/concepts/fencing.md', () => {
  it(
    'has the code that is run here',
    () => {
      expect(programs().map(({ file }) => file)).toEqual(['accounts.service.ts', 'paused-holder.ts']);
    },
    PATIENCE,
  );

  it(
    'has the late write of a paused holder refused with the fence, and accepted without it',
    async () => {
      const nodes = await startRedisServers(3);
      process.env['REDLOCK_NODES'] = nodes.map(({ url }) => url).join(',');
      const log = jest.spyOn(console, 'log').mockReturnValue();
      const { outcomes } = await run();
      // 100, and 50 by the second holder; the first one's 100 come too late.
      expect(outcomes.fenced).toEqual({ late: 'refused', balance: 150 });
      // The 50 are lost.
      expect(outcomes.unfenced).toEqual({ late: 'accepted', balance: 200 });
      expect(log.mock.calls).toEqual([[outcomes]]);
      expect(printed()).toBe(inspect(outcomes));
      log.mockRestore();
      await stopAll(nodes);
    },
    PATIENCE,
  );
});

describe('the statements of docs/concepts/fencing.md', () => {
  const EARLIER = 1_795_000_000_000_001;
  const LATER = EARLIER + 1;
  let database: PGlite;

  beforeAll(async () => {
    database = await PGlite.create();
    await database.query(
      'CREATE TABLE accounts (id TEXT PRIMARY KEY, balance INTEGER, fence BIGINT NOT NULL DEFAULT 0)',
    );
  });

  beforeEach(async () => {
    await database.query('DELETE FROM accounts');
    await database.query("INSERT INTO accounts (id, balance) VALUES ('ann', 100)");
  });

  afterAll(() => database.close());

  const write = async (sql: string, values: readonly unknown[]): Promise<number | undefined> =>
    (await database.query(sql, [...values])).affectedRows;
  const once = (balance: number, token: number): Promise<number | undefined> =>
    write(statement('one write'), [balance, token, 'ann']);
  const often = (balance: number, token: number): Promise<number | undefined> =>
    write(statement('one write').replace('fence < $2', 'fence <= $2'), [balance, token, 'ann']);
  const put = (id: string, balance: number, token: number): Promise<number | undefined> =>
    write(statement('write or insert'), [id, balance, token]);
  const read = (token: number): Promise<number | undefined> => write(statement('read'), [token, 'ann']);
  const balanceOf = async (id: string): Promise<unknown> =>
    (await database.query<{ balance: number }>('SELECT balance FROM accounts WHERE id = $1', [id])).rows[0]?.balance;

  it('refuse every earlier holder', async () => {
    expect(await once(1, LATER)).toBe(1);
    expect(await once(2, EARLIER)).toBe(0);
    expect(await often(3, EARLIER)).toBe(0);
    expect(await balanceOf('ann')).toBe(1);
  });

  it('let a holder write once by <, and several times by <=', async () => {
    expect(await once(1, EARLIER)).toBe(1);
    expect(await once(2, EARLIER)).toBe(0);
    expect(await often(3, EARLIER)).toBe(1);
    expect(await once(4, LATER)).toBe(1);
    expect(await balanceOf('ann')).toBe(4);
  });

  it('do the same where the row is not there yet', async () => {
    expect(await put('bob', 1, LATER)).toBe(1);
    expect(await put('bob', 2, EARLIER)).toBe(0);
    expect(await put('bob', 3, LATER + 1)).toBe(1);
    expect(await balanceOf('bob')).toBe(3);
  });

  it('shut earlier holders out from the first read on', async () => {
    expect(await read(EARLIER)).toBe(1);
    expect(await read(LATER)).toBe(1);
    expect(await often(1, EARLIER)).toBe(0);
    expect(await often(2, LATER)).toBe(1);
  });

  it('accept a late write after a read that shows no token, which is why reads show it', async () => {
    expect(await balanceOf('ann')).toBe(100);
    expect(await often(200, EARLIER)).toBe(1);
    expect(await often(150, LATER)).toBe(1);
  });
});
