import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEATHS, Payments, type Death } from '../support/exactly-once/payments.js';
import { LIBRARIES, openProgram, recipePrograms, type Program } from '../support/exactly-once/recipe.js';
import { PastedCode, removePasted } from '../support/pasted-code.js';
import { HAS_POSTGRES } from '../support/postgres.js';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

const onPostgres = HAS_POSTGRES ? describe : describe.skip;

describe('the programs of docs/recipes/exactly-once.md', () => {
  it(
    'has the code that is run here',
    () => {
      expect(recipePrograms().map(({ file }) => file)).toEqual([
        'make-table.ts',
        'app.module.ts',
        ...LIBRARIES.map((library) => `pay-with-${library}.ts`),
        'sweep.ts',
      ]);
    },
    PATIENCE,
  );
});

onPostgres('a payment by the recipe', () => {
  let payments: Payments;
  let pasted: PastedCode;

  beforeAll(async () => {
    payments = await Payments.start();
    pasted = await PastedCode.write(recipePrograms());
  }, PATIENCE);

  afterAll(async () => {
    await removePasted();
    await payments.stop();
  }, PATIENCE);

  describe.each(LIBRARIES)('with %s', (library) => {
    let program: Program;

    beforeAll(async () => {
      program = await openProgram(library, pasted, payments.postgres.url);
    }, PATIENCE);

    afterAll(() => program.close());

    const sequences: Death[][] = [[], ...DEATHS.flatMap((first) => [[first], ...DEATHS.map((next) => [first, next])])];

    it.each(sequences.map((deaths) => [deaths.join(', then after ') || 'nothing', deaths] as const))(
      'is one, with one receipt, after a death after %s',
      async (_, deaths) => {
        const order = randomUUID();
        const receipt = await payments.payDespite(deaths, program.pay, order);
        expect(await payments.paid(order)).toEqual([receipt.id]);
        expect(await payments.payDespite([], program.pay, order)).toEqual(receipt);
        expect(await payments.paid(order)).toEqual([receipt.id]);
      },
    );

    it('is not that of an attempt which stands still until a later one has paid', async () => {
      const order = randomUUID();
      const attempt = payments.attempt();
      await payments.store.open(order, attempt, 60_000);
      const before = async (): Promise<void> => void (await payments.payDespite([], program.pay, order));
      const late = program.pay(payments.call(order, attempt, { before }), order);
      await expect(late).rejects.toThrow('IDEMPOTENCY_SUPERSEDED');
      const { id } = await payments.payDespite([], program.pay, order);
      expect(await payments.paid(order)).toEqual([id]);
    });
  });
});
