import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { complaintsAbout } from '../support/readme.js';
import { programsOf, RecipeReplicas } from '../support/recipe-replicas.js';

const PAGE = 'docs/recipes/double-submit.md';
/** Ms: the compiler, nodes and replicas are to start beside other tests. */
const PATIENCE = 120_000;

interface OrderForm {
  submit(item: string): Promise<Response>;
}

type Form = new (address: string, user: string) => OrderForm;

describe('docs/recipes/double-submit.md', () => {
  let replicas: RecipeReplicas;
  let one: string;
  let two: string;
  let Form: Form;

  beforeAll(async () => {
    replicas = await RecipeReplicas.start(PAGE);
    [one = '', two = ''] = await replicas.urls();
    ({ OrderForm: Form } = await replicas.pasted.run<{ OrderForm: Form }>('order-form.ts'));
  }, PATIENCE);

  afterAll(() => replicas.stop(), PATIENCE);

  const countOf = async (item: string): Promise<number> => {
    const response = await fetch(`${one}/orders`, { headers: { 'x-user': 'ann' } });
    const orders = (await response.json()) as { item: string }[];
    return orders.filter((order) => order.item === item).length;
  };

  /** One form whose presses reach both replicas in turn. */
  function formOfBoth(user: string): OrderForm {
    const form = new Form(one, user);
    let presses = 0;
    return {
      submit: (item) => {
        Object.assign(form, { address: presses % 2 === 0 ? one : two });
        presses += 1;
        return form.submit(item);
      },
    };
  }

  it(
    'has code that compiles',
    () => {
      const files = ['order-form.ts', 'orders.controller.ts', 'app.module.ts', 'orders.spec.ts'];
      expect(programsOf(PAGE).map(({ file }) => file)).toEqual(files);
      expect(complaintsAbout(programsOf(PAGE))).toEqual([]);
    },
    PATIENCE,
  );

  it('makes one order with one answer of 20 presses at two replicas', async () => {
    const form = formOfBoth('ann');
    const replies = await Promise.all(Array.from({ length: 20 }, () => form.submit('book')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
    expect(await countOf('book')).toBe(1);
  });

  it('gives the same answer later, and refuses another order under the same key', async () => {
    const form = formOfBoth('ann');
    const [first, second] = [await form.submit('pen'), await form.submit('pen')];
    expect(await second.text()).toBe(await first.text());
    const changed = await form.submit('ink');
    expect([changed.status, await changed.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }),
    ]);
    expect([await countOf('pen'), await countOf('ink')]).toEqual([1, 0]);
  });

  it('makes two orders of two forms, and one of each user', async () => {
    const forms = [formOfBoth('ann'), formOfBoth('ann')];
    for (const form of forms) expect((await form.submit('lamp')).status).toBe(201);
    expect(await countOf('lamp')).toBe(2);
    const shared = new Form(one, 'ann');
    await shared.submit('desk');
    Object.assign(shared, { user: 'bob', address: two });
    expect((await shared.submit('desk')).headers.get('idempotent-replayed')).toBeNull();
    expect(await countOf('desk')).toBe(2);
  });

  it(
    'has a test that passes when pasted',
    async () => {
      const { numPassedTests, testResults } = await replicas.pasted.runSpecs(['orders.spec.ts']);
      expect(testResults.map(({ status, message }) => [status, message])).toEqual([['passed', '']]);
      expect(numPassedTests).toBe(1);
    },
    PATIENCE,
  );
});
