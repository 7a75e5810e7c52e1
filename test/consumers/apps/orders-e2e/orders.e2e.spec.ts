import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockService, ResourceLockedError } from 'nestjs-redlock';
import { AppModule } from './app.module.js';

describe('orders, on real nodes', () => {
  let app: INestApplication;
  let url: string;

  beforeEach(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  afterEach(() => app.close());

  const post = (path: string, id: number): Promise<Response> =>
    fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });

  // A machine that stands still for long loses locks, and says so: that is no fault, the next ones are taken.
  const race = async (id = 1): Promise<Response[]> => {
    const answers = await Promise.all([post('orders', id), post('orders', id)]);
    return answers.every(({ ok }) => ok) || id === 10 ? answers : race(id + 1);
  };

  it('are placed one after the other', async () => {
    const answers = await race();
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    type Placed = { began: number; ended: number; token: number };
    const placed = (await Promise.all(answers.map((answer) => answer.json()))) as Placed[];
    const [first, second] = placed.sort((a, b) => a.began - b.began);
    expect(second.began).toBeGreaterThanOrEqual(first.ended);
    expect(second.token).toBeGreaterThan(first.token);
  });

  it('answer 409 where the lock is taken', async () => {
    const answer = await post('orders/taken', 1);
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 'RESOURCE_LOCKED' });
  });

  it('are paid once, however often the request is sent to two replicas', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const other = module.createNestApplication();
    await other.listen(0, '127.0.0.1');
    const urls = [url, await other.getUrl()];
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), 'x-user': 'ann' };
    const pay = (replica: string): Promise<Response> =>
      fetch(`${replica}/payments`, { method: 'POST', headers, body: '{"amount":1}' });
    try {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => pay(urls[index % 2])));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
      expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
      const runs = urls.map(async (replica) => Number(await (await fetch(`${replica}/payments/runs`)).text()));
      expect((await Promise.all(runs)).reduce((sum, each) => sum + each)).toBe(1);
    } finally {
      await other.close();
    }
  });

  it('see the classes of errors', async () => {
    const redlock = app.get(RedlockService);
    await redlock.withLock('a', async () => {
      await expect(redlock.acquire('a', { waitTimeout: 0 })).rejects.toBeInstanceOf(ResourceLockedError);
    });
  });
});
