import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { complaintsAbout } from '../support/readme.js';
import { programsOf, RecipeReplicas } from '../support/recipe-replicas.js';

const PAGE = 'docs/recipes/webhooks.md';
/** Ms: the compiler, nodes and replicas are to start beside other tests. */
const PATIENCE = 120_000;

describe('docs/recipes/webhooks.md', () => {
  let replicas: RecipeReplicas;
  let urls: string[];
  let signatureOf: (body: string) => string;

  beforeAll(async () => {
    replicas = await RecipeReplicas.start(PAGE, { rawBody: true });
    urls = await replicas.urls();
    ({ signatureOf } = await replicas.pasted.run<{ signatureOf: typeof signatureOf }>('signature.guard.ts'));
  }, PATIENCE);

  afterAll(() => replicas.stop(), PATIENCE);

  /** As a provider does that counts its deliveries, at each replica in turn. */
  function deliver(id: string, delivery: number, signature?: string): Promise<Response> {
    const body = JSON.stringify({ id, customer: id, delivery });
    const headers = { 'content-type': 'application/json', 'x-signature': signature ?? signatureOf(body) };
    return fetch(`${urls[delivery % urls.length]}/webhooks`, { method: 'POST', headers, body });
  }

  const bonusesOf = async (id: string): Promise<number> => {
    const bonuses = (await (await fetch(`${urls[0]}/webhooks/bonuses`)).json()) as string[];
    return bonuses.filter((customer) => customer === id).length;
  };

  it(
    'has code that compiles',
    () => {
      const files = ['signature.guard.ts', 'webhooks.controller.ts', 'app.module.ts', 'webhooks.spec.ts'];
      expect(programsOf(PAGE).map(({ file }) => file)).toEqual(files);
      expect(complaintsAbout(programsOf(PAGE))).toEqual([]);
    },
    PATIENCE,
  );

  it('runs once for 20 deliveries at two replicas, and answers all of them alike', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, delivery) => deliver('evt_1', delivery)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(replies.map((reply) => reply.text())))).toEqual(new Set(['{"received":"evt_1"}']));
    expect(await (await deliver('evt_1', 21)).json()).toEqual({ received: 'evt_1' });
    expect(await bonusesOf('evt_1')).toBe(1);
  });

  it('refuses a forged event, whose id stays free, and a forged repeat', async () => {
    expect((await deliver('evt_2', 0, 'forged')).status).toBe(401);
    expect((await deliver('evt_2', 1)).headers.get('idempotent-replayed')).toBeNull();
    expect((await deliver('evt_2', 2, 'forged')).status).toBe(401);
    expect(await bonusesOf('evt_2')).toBe(1);
  });

  it(
    'has a test that passes when pasted',
    async () => {
      const { numPassedTests, testResults } = await replicas.pasted.runSpecs(['webhooks.spec.ts']);
      expect(testResults.map(({ status, message }) => [status, message])).toEqual([['passed', '']]);
      expect(numPassedTests).toBe(1);
    },
    PATIENCE,
  );
});
