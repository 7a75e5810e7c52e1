import 'reflect-metadata';
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

  it('see the classes of errors', async () => {
    const redlock = app.get(RedlockService);
    await redlock.withLock('a', async () => {
      await expect(redlock.acquire('a', { waitTimeout: 0 })).rejects.toBeInstanceOf(ResourceLockedError);
    });
  });
});
