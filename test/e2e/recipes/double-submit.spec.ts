import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { RecipeReplicas } from '../../support/recipe-replicas.js';
import { Recipe } from '../../support/recipes/recipe.js';

/** Ms: nodes and replicas are to start beside other tests. */
const PATIENCE = 120_000;

type OpenForm = (address: string, user: string) => (item: string) => Promise<Response>;
type Orders = { readonly item: string }[];

const recipe = new Recipe('docs/recipes/double-submit.md');

/** Sends each request to the next replica. */
async function balance(urls: readonly string[]): Promise<Server> {
  let requests = 0;
  const server = createServer(({ url }, response) => {
    response.writeHead(307, { location: `${urls[requests % urls.length]}${url}` }).end();
    requests += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe(recipe.page, () => {
  let replicas: RecipeReplicas | undefined;
  let balancer: Server | undefined;
  let address: string;
  let openForm: OpenForm;
  let orders: Orders;

  const start = async (isProtected: boolean): Promise<void> => {
    const blocks = recipe.changed(isProtected ? [] : [['  @Idempotent()\n', '']]);
    replicas = await RecipeReplicas.start(recipe.page, {}, blocks);
    balancer = await balance(await replicas.urls());
    address = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    ({ openForm } = await replicas.pasted.run<{ openForm: OpenForm }>('order-form.ts'));
    ({ orders } = await replicas.pasted.run<{ orders: Orders }>('app.module.ts'));
  };
  const countOf = (item: string): number => orders.filter((order) => order.item === item).length;

  afterAll(() => replicas?.stop(), PATIENCE);

  describe('without @Idempotent', () => {
    beforeAll(() => start(false), PATIENCE);
    afterAll(async () => {
      balancer?.close();
      await replicas?.stop();
      replicas = undefined;
    }, PATIENCE);

    it('makes an order of each press', async () => {
      const press = openForm(address, 'ann');
      await Promise.all([press('book'), press('book')]);
      expect(countOf('book')).toBe(2);
    });
  });

  describe('with @Idempotent', () => {
    beforeAll(() => start(true), PATIENCE);
    afterEach(() => void orders.splice(0));
    afterAll(() => void balancer?.close());

    it('makes one order with one answer of 20 presses at two replicas', async () => {
      const press = openForm(address, 'ann');
      const replies = await Promise.all(Array.from({ length: 20 }, () => press('book')));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
      expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
      expect(countOf('book')).toBe(1);
    });

    it('gives the same answer later, and refuses another order under the same key', async () => {
      const press = openForm(address, 'ann');
      const [first, second] = [await press('pen'), await press('pen')];
      expect(await second.text()).toBe(await first.text());
      const changed = await press('ink');
      const reused: unknown = expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' });
      expect([changed.status, await changed.json()]).toEqual([422, reused]);
      expect([countOf('pen'), countOf('ink')]).toEqual([1, 0]);
    });

    it('makes two orders of two forms, and one of each user with the same key', async () => {
      for (const user of ['ann', 'ann']) expect((await openForm(address, user)('lamp')).status).toBe(201);
      expect(countOf('lamp')).toBe(2);
      const key = { 'idempotency-key': 'shared', 'content-type': 'application/json' };
      for (const user of ['ann', 'bob']) {
        const headers = { ...key, 'x-user': user };
        const request = { method: 'POST', headers, body: JSON.stringify({ item: 'desk' }) };
        expect((await fetch(`${address}/orders`, request)).headers.get('idempotent-replayed')).toBeNull();
      }
      expect(countOf('desk')).toBe(2);
    });
  });
});
