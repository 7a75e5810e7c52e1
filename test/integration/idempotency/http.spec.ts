import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { LockEvent } from '../../../lib/engine/events.js';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { RedlockService } from '../../../lib/redlock.service.js';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';
import { call, codeOf, type RawCall, type RawReply } from './http-call.js';
import { orders, Tally } from './orders.js';

describe.each(PLATFORMS)('@Idempotent over HTTP with %s', (platform) => {
  const tally = new Tally();
  let one: TestApp;
  let two: TestApp;
  let key: string;

  const first = (path: string, options: RawCall = {}): Promise<RawReply> => call(one.url, path, { key, ...options });
  const second = (path: string, options: RawCall = {}): Promise<RawReply> => call(two.url, path, { key, ...options });

  /** Sends the same request to both replicas, one after the other. */
  async function twice(path: string, options: RawCall = {}): Promise<[RawReply, RawReply]> {
    return [await first(path, options), await second(path, options)];
  }

  /** Resolves when a handler runs. */
  const started = (): Promise<void> => eventually(() => expect(tally.runs).toBe(1));

  beforeAll(async () => {
    const servers = await startRedisServers(3);
    const imports = [
      poolOn(servers),
      RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<user.id>', docs: 'https://example.org/keys' }),
    ];
    const configure = (app: INestApplication): void => {
      let requests = 0;
      app.enableCors({ origin: true });
      app.use((_request: unknown, response: ServerResponse, next: () => void) => {
        response.setHeader('X-Request-Id', String((requests += 1)));
        next();
      });
    };
    [one, two] = await TestApp.pair(platform, () => orders(tally, imports), configure);
  });

  beforeEach(() => {
    tally.reset();
    key = randomUUID();
  });

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it('answers 50 equal requests by one run, and runs the guards for each', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first('orders') : second('orders')));
    const replies = await Promise.all(calls);
    expect(tally.runs).toBe(1);
    expect(tally.guards).toBe(50);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ text }) => text))).toEqual(new Set(['{"data":{"id":1}}']));
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
  });

  it('replays what the serializer has left, without running again', async () => {
    const [reply, replay] = await twice('orders');
    expect(replay.text).toBe(reply.text);
    expect(reply.text).not.toContain('password');
    expect(reply.headers['idempotent-replayed']).toBeUndefined();
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(tally).toMatchObject({ runs: 1, previous: ['none'] });
  });

  it('replays the headers that belong to the content, and no others', async () => {
    const origin = (from: string): RawCall => ({ headers: { origin: `https://${from}.example` } });
    await first('orders/accepted', { key: randomUUID() });
    const [reply, replay] = [await first('orders/headers', origin('a')), await second('orders/headers', origin('b'))];
    expect(Number(reply.headers['x-request-id'])).not.toBe(Number(replay.headers['x-request-id']));
    expect(replay.headers['access-control-allow-origin']).toBe('https://b.example');
    expect(reply.headers).toMatchObject({ location: '/orders/2', etag: '"1"', 'x-ratelimit-remaining': '7' });
    expect(reply.headers['set-cookie']).toEqual(['csrf=1']);
    expect(replay.headers).toMatchObject({ location: '/orders/2', etag: '"1"', 'idempotent-replayed': 'true' });
    expect(replay.headers['set-cookie']).toBeUndefined();
    expect(replay.headers['x-ratelimit-remaining']).toBeUndefined();
  });

  it.each([
    [null],
    [''],
    [0],
    [false],
    [undefined],
    ['text'],
    [[1, { a: null }]],
    [{ id: 1, at: new Date(0) }],
    [new Date(0)],
    [new Date(Number.NaN)],
  ])('replays %j as it was', async (value) => {
    tally.value = value;
    const [reply, replay] = await twice('orders/value');
    expect(replay.status).toBe(reply.status);
    expect(replay.text).toBe(reply.text);
    for (const name of ['content-type', 'content-length']) expect(replay.headers[name]).toBe(reply.headers[name]);
    expect(tally.runs).toBe(1);
  });

  it.each([
    ['none', { method: 'DELETE' }],
    ['text', {}],
    ['bytes/10000', {}],
    ['accepted', {}],
    ['moved', {}],
  ])('replays %s', async (path, options) => {
    const [reply, replay] = await twice(`orders/${path}`, options);
    expect(replay.status).toBe(reply.status);
    expect(replay.text).toBe(reply.text);
    expect(replay.headers['content-type']).toBe(reply.headers['content-type']);
    expect(replay.headers['location']).toBe(reply.headers['location']);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(tally.runs).toBe(1);
  });

  it.each(['bytes/100000', 'file', 'hijacked'])('keeps no reply of %s, and does not run again', async (path) => {
    const [reply, replay] = await twice(`orders/${path}`);
    expect(reply.status).toBeLessThan(300);
    expect(reply.text).not.toBe('');
    expect(replay.status).toBe(409);
    expect(codeOf(replay)).toBe('IDEMPOTENCY_REPLY_NOT_KEPT');
    expect(replay.headers.location).toBe(path.startsWith('bytes') ? `/${path}` : undefined);
    expect(tally.runs).toBe(1);
  });

  it('refuses another request under the same key, also while the first is running', async () => {
    const running = first('orders', { body: '{"a":1,"b":2}' });
    await started();
    const other = await second('orders', { body: '{"a":1,"b":3}' });
    await running;
    const late = await second('orders', { body: '{"a":1,"b":3}' });
    expect([other.status, codeOf(other), late.status]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', 422]);
    const same = await second('orders', { body: '{ "b": 2,\n"a": 1 }' });
    expect(same.headers['idempotent-replayed']).toBe('true');
    expect(tally.runs).toBe(1);
  });

  it.each<[string, string | string[] | undefined, string]>([
    ['no header', undefined, 'IDEMPOTENCY_KEY_MISSING'],
    ['an empty one', '', 'IDEMPOTENCY_KEY_INVALID'],
    ['256 bytes', 'k'.repeat(256), 'IDEMPOTENCY_KEY_INVALID'],
    ['no ASCII', 'schl\u00FCssel', 'IDEMPOTENCY_KEY_INVALID'],
    ['two different lines', ['k1', 'k2'], 'IDEMPOTENCY_KEY_INVALID'],
  ])('answers 400 to %s', async (_case, given, code) => {
    const reply = await first('orders', { key: given });
    expect([reply.status, codeOf(reply)]).toEqual([400, code]);
    expect(reply.headers.link).toBe('<https://example.org/keys>; rel="describedby"');
    expect(tally.runs).toBe(0);
  });

  it('takes a key with quotes and without for the same, and two equal lines for one', async () => {
    await first('orders', { key: `"${key}"` });
    const replies = [await second('orders', { key }), await second('orders', { key: [key, key] })];
    expect(replies.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    expect(tally.runs).toBe(1);
  });

  it('has a key of its own for each parameter and each user', async () => {
    const replies = [
      await first('orders/1/pay', { method: 'PATCH' }),
      await first('orders/2/pay', { method: 'PATCH' }),
      await first('orders/1/pay', { method: 'PATCH', user: 'bob' }),
    ];
    expect(replies.map(({ text }) => text)).toEqual(['{"paid":"1"}', '{"paid":"2"}', '{"paid":"1"}']);
    expect(tally.runs).toBe(3);
  });

  it('answers 409 to a duplicate that does not want to wait any longer, and replays afterwards', async () => {
    const running = first('orders/slow');
    await started();
    const busy = [await first('orders/slow'), await second('orders/slow')];
    for (const reply of busy) {
      expect([reply.status, codeOf(reply)]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    await running;
    expect((await second('orders/slow')).text).toBe('{"run":1}');
    expect(tally.runs).toBe(1);
  });

  it('rejects at once with onBusy', async () => {
    const running = first('orders/busy');
    await started();
    const busy = [await first('orders/busy'), await second('orders/busy')];
    expect(busy.map(({ status }) => status)).toEqual([409, 409]);
    expect(tally.ends).toBe(0);
    await running;
  });

  it('keeps nothing of a request that a pipe refuses', async () => {
    const refused = await first('orders/signup', { body: '{"email":"nobody"}' });
    const corrected = await second('orders/signup', { body: '{"email":"a@b.org"}' });
    expect([refused.status, corrected.status, tally.runs]).toEqual([400, 201, 1]);
  });

  it.each([
    ['conflict', 409],
    ['error', 500],
  ])('keeps nothing of a handler that fails with a %s', async (how, status) => {
    const replies = await twice(`orders/fails/${how}`);
    expect(replies.map((reply) => reply.status)).toEqual([status, status]);
    expect(tally).toMatchObject({ runs: 2, previous: ['none', 'none'] });
  });

  it('refuses after a failure of which nobody knows what it has done, if that is wanted', async () => {
    const known = await twice('orders/refuses/conflict');
    expect(known.map(({ status }) => status)).toEqual([409, 409]);
    expect(tally.runs).toBe(2);
    const [failed, refused] = await twice('orders/refuses/error');
    expect([failed.status, refused.status, codeOf(refused)]).toEqual([500, 409, 'IDEMPOTENCY_OUTCOME_UNKNOWN']);
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(tally.runs).toBe(3);
  });

  it.each(['inside', 'outside'])('goes together with a lock that stands %s', async (place) => {
    const body = `{"id":"${key}"}`;
    const replies = await Promise.all([
      first(`orders/locked/${place}`, { body }),
      second(`orders/locked/${place}`, { body }),
    ]);
    for (const { text } of replies) expect(JSON.parse(text)).toEqual({ lock: [`stock:${key}`], attempt: 1 });
    expect(tally.runs).toBe(1);
  });

  it('answers what an idempotent method of a provider refuses', async () => {
    const charge = (amount: number): RawCall => ({ key: undefined, body: JSON.stringify({ id: key, amount }) });
    const replies = [await first('orders/nested', charge(1)), await second('orders/nested', charge(1))];
    expect(replies.map(({ text }) => text)).toEqual(['{"charged":1}', '{"charged":1}']);
    const refused = await second('orders/nested', charge(2));
    expect([refused.status, codeOf(refused)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('shares a failure with those of the process that wait for it', async () => {
    tally.awaited = 50;
    const calls = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? first('orders/fails/error') : second('orders/fails/error'),
    );
    const replies = await Promise.all(calls);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([500]));
    expect(tally.runs).toBe(2);
  });

  it('replays an error that is to be kept', async () => {
    const [reply, replay] = await twice('orders/kept-error');
    expect([reply.status, replay.status]).toEqual([404, 404]);
    expect(JSON.parse(replay.text)).toEqual({ message: 'no such order, said run 1', extra: 1 });
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(tally.runs).toBe(1);
  });

  it.each(['promise', 'observable'])('runs on when the client hangs up, with a %s', async (kind) => {
    const gone = new AbortController();
    const left = first(`orders/leaving/${kind}`, { signal: gone.signal }).catch(() => 'left');
    await started();
    gone.abort();
    expect(await left).toBe('left');
    const replay = await second(`orders/leaving/${kind}`);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(tally).toMatchObject({ runs: 1, ends: 1 });
  });

  it('lets an inner timeout answer, and keeps no late value', async () => {
    const reply = await first('orders/impatient');
    expect(reply.status).toBe(408);
    expect(tally.ends).toBe(0);
    const duplicate = await second('orders/impatient');
    expect(tally.ends).toBe(1);
    expect([duplicate.status, codeOf(duplicate)]).toEqual([409, 'IDEMPOTENCY_REPLY_NOT_KEPT']);
    expect(tally.runs).toBe(1);
  });

  it('authorises each duplicate', async () => {
    await first('orders');
    const replies = [await second('orders', { user: null }), await second('orders', { user: '' })];
    expect(replies.map(({ status }) => status)).toEqual([401, 400]);
    expect((await second('orders')).headers['idempotent-replayed']).toBe('true');
    expect(tally).toMatchObject({ runs: 1, guards: 4 });
  });

  it('runs unprotected without a header that is optional, and an event says so', async () => {
    const events: LockEvent[] = [];
    const listening = one.app.get(RedlockService).events$.subscribe((event) => events.push(event));
    const replies = [await first('orders/optional', { key: undefined }), ...(await twice('orders/optional'))];
    expect(replies.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { run: 1, protected: false },
      { run: 2, protected: true },
      { run: 2, protected: true },
    ]);
    listening.unsubscribe();
    expect(events.filter(({ type }) => type === 'unprotected')).toEqual([
      { type: 'unprotected', resources: [], label: 'Orders.optional' },
    ]);
  });

  it('takes a template for what it says, and another user for another request', async () => {
    const email = `${key}@b.org`;
    const replies = [
      await first('orders/natural', { body: JSON.stringify({ email }) }),
      await second('orders/natural', { body: JSON.stringify({ email }) }),
      await second('orders/natural', { body: JSON.stringify({ email }), user: 'bob' }),
      await second('orders/natural', { body: JSON.stringify({ email: ` ${email.toUpperCase()}` }) }),
      await second('orders/natural', { body: '{}' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 422, 422, 400]);
    expect(replies[1]!.text).toBe(replies[0]!.text);
  });

  it('takes another user for another request, also if a fingerprint of its own is the same', async () => {
    const body = JSON.stringify({ ref: key, amount: 1 });
    const replies = [
      await first('orders/priced', { body }),
      await second('orders/priced', { body }),
      await second('orders/priced', { body, user: 'bob' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 422]);
    expect(tally.runs).toBe(1);
  });
});
