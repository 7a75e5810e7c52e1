import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OnceCall, ReplyStore } from 'nestjs-redlock/idempotency';
import { SecondValueError } from '../../../lib/idempotency/failure.js';
import { Deferred } from '../../support/nest/deferred.js';
import { OnceReplicas, type OnceReplica } from '../../support/once-replicas.js';

/** Holds the work up: `begun` resolves when the work waits in `pass`, until `open`. */
const gate = (): { readonly begun: Promise<void>; pass(): Promise<void>; open(): void } => {
  const [begun, opened] = [new Deferred(), new Deferred()];
  const pass = (): Promise<void> => {
    begun.resolve();
    return opened.promise;
  };
  return { begun: begun.promise, pass, open: () => opened.resolve() };
};
/** The methods that every store has, and no more. */
const bound = (store: ReplyStore): ReplyStore => ({
  peek: (key) => store.peek(key),
  open: (key, attempt, keep) => store.open(key, attempt, keep),
  settle: (key, attempt, record, keep) => store.settle(key, attempt, record, keep),
  clear: (key, attempt) => store.clear(key, attempt),
  forget: (key) => store.forget(key),
  describe: (key) => store.describe(key),
});
/** The store as it is, but that the first look finds nothing: as if a record had come just after. */
const blindAtFirst = (store: ReplyStore): ReplyStore => {
  let looks = 0;
  const peek: ReplyStore['peek'] = (key) => ((looks += 1) === 1 ? Promise.resolve({ kind: 'none' }) : store.peek(key));
  const get = (target: ReplyStore, name: keyof ReplyStore): unknown => {
    const member: unknown = name === 'peek' ? peek : target[name];
    return typeof member === 'function' ? (member.bind(target) as unknown) : member;
  };
  return new Proxy(store, { get: (target, name) => get(target, name as keyof ReplyStore) });
};
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => value,
    (error: Error & { code?: string }) => error.code ?? error.name,
  );

describe.each(['nodes', 'memory'] as const)('Idempotency.once, with replies on %s,', (kind) => {
  let replicas: OnceReplicas;
  let one: OnceReplica;
  let other: OnceReplica;

  beforeEach(async () => {
    replicas = new OnceReplicas(kind);
    [one, other] = [await replicas.start(), await replicas.start()];
  });
  afterEach(() => replicas.close());

  const types = ({ events }: OnceReplica): string[] => events.map(({ type }) => type);

  it('runs once for fifty calls at two replicas, and all get the same', async () => {
    let runs = 0;
    const work = async (): Promise<{ run: number }> => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { run: runs };
    };
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 ? one : other).idempotency.once('a', work));
    expect(new Set((await Promise.all(calls)).map(({ run }) => run))).toEqual(new Set([1]));
    expect(runs).toBe(1);
  });

  it('gives the reply of the first run later, at any replica', async () => {
    await one.idempotency.once('a', async () => ({ id: 7 }));
    expect(await other.idempotency.once('a', async () => ({ id: 8 }))).toEqual({ id: 7 });
    expect(types(other)).toEqual(['replayed']);
    expect(types(one)).toContain('kept');
  });

  it('takes no lock for a replay', async () => {
    await one.idempotency.once('a', async () => 1);
    await Promise.all(Array.from({ length: 100 }, () => other.idempotency.once('a', async () => 2)));
    expect(types(other).filter((type) => type === 'acquired')).toEqual([]);
  });

  it.each([
    ['a date', new Date(1_700_000_000_000)],
    ['a big integer', 12n ** 30n],
    ['a map', new Map<unknown, unknown>([[new Date(0), new Set([1n])]])],
    ['a set', new Set([undefined, Number.NaN])],
    ['bytes', new Uint8Array([0, 255])],
    ['a buffer', Buffer.from('abc')],
    ['undefined', undefined],
    ['numbers that JSON does not know', [Number.NaN, Infinity, -Infinity, -0]],
    ['an object that looks like a mark', { $type: ['date', 'x'], more: { $type: ['map'] } }],
    ['an object without a value', { gone: undefined, there: null }],
  ])('gives %s back as it was, to the first caller and to a duplicate', async (_name, value) => {
    const first = await one.idempotency.once('a', async () => value as unknown as string);
    const again = await other.idempotency.once('a', async () => 'another');
    expect([first, again]).toEqual([value, value]);
    expect(Object.getPrototypeOf(Object(again))).toBe(Object.getPrototypeOf(Object(value)));
  });

  it('refuses an instance of a class at the first call, and does not run again', async () => {
    class User {
      readonly id = 1;
    }
    const call = one.idempotency.once('a', async () => [new User()]);
    await expect(call).rejects.toThrow('the value[0] is an instance of User');
    expect(await codeOf(other.idempotency.once('a', async () => 1))).toBe('IDEMPOTENCY_REPLY_NOT_KEPT');
  });

  it('keeps nothing of a failure: callers of the process share it, and the next call runs', async () => {
    const failing = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      throw new RangeError('no');
    };
    const calls = [1, 2, 3].map(() => codeOf(one.idempotency.once('a', failing)));
    expect(await Promise.all(calls)).toEqual(['RangeError', 'RangeError', 'RangeError']);
    const previous: string[] = [];
    await one.idempotency.once('a', async (call) => void previous.push(call.previous));
    expect(previous).toEqual(['none']);
  });

  it("refuses after a failure of unknown effect with onInterrupted: 'refuse', also another time", async () => {
    const refuse = { onInterrupted: 'refuse' } as const;
    await codeOf(one.idempotency.once('a', () => Promise.reject(new Error('sent?')), refuse));
    for (let time = 0; time < 2; time += 1)
      expect(await codeOf(other.idempotency.once('a', async () => 1, refuse))).toBe('IDEMPOTENCY_OUTCOME_UNKNOWN');
    let call: OnceCall | undefined;
    await other.idempotency.once('a', async (own) => void (call = own));
    expect([call?.previous, call?.attempt]).toEqual(['interrupted', 2]);
  });

  it('tells each later attempt that an earlier one was interrupted, also after one that failed', async () => {
    const interrupted = () => Promise.reject(new Error('sent?'));
    await codeOf(one.idempotency.once('a', interrupted, { onInterrupted: 'refuse' }));
    const failing = () => Promise.reject(new RangeError('the bank does not answer'));
    expect(await codeOf(other.idempotency.once('a', failing))).toBe('RangeError');
    let call: OnceCall | undefined;
    await one.idempotency.once('a', async (own) => void (call = own));
    expect([call?.previous, call?.attempt]).toEqual(['interrupted', 3]);
  });

  it('refuses another request under the same key, while the first runs and after it', async () => {
    const { begun, pass, open } = gate();
    const running = one.idempotency.once('a', () => pass(), { fingerprint: { amount: 1, to: 'x' } });
    await begun;
    for (const { idempotency } of [one, other])
      expect(await codeOf(idempotency.once('a', async () => 1, { fingerprint: { amount: 2 } }))).toBe(
        'IDEMPOTENCY_KEY_REUSED',
      );
    open();
    await running;
    expect(await codeOf(other.idempotency.once('a', async () => 1, { fingerprint: { amount: 2 } }))).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect(await other.idempotency.once('a', async () => 'x', { fingerprint: { to: 'x', amount: 1 } })).toBeUndefined();
  });

  it('leaves the mark of an interrupted request to its duplicates, if another request sees it only when it opens the key', async () => {
    const refuse = { onInterrupted: 'refuse', fingerprint: 1 } as const;
    await codeOf(one.idempotency.once('a', () => Promise.reject(new Error('sent?')), refuse));
    const blind = (store: ReplyStore): ReplyStore => ({ ...bound(store), peek: async () => ({ kind: 'none' }) });
    const { idempotency } = await replicas.start({}, blind);
    expect(await codeOf(idempotency.once('a', async () => 2, { fingerprint: 2 }))).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await codeOf(other.idempotency.once('a', async () => 1, { fingerprint: 1 }))).toBe(1);
  });

  it.each(['one', 'other'])("ends at once with onBusy: 'reject', and in time else, at replica %s", async (where) => {
    const { begun, pass, open } = gate();
    const running = one.idempotency.once('a', () => pass());
    await begun;
    const { idempotency } = where === 'one' ? one : other;
    const began = performance.now();
    expect(await codeOf(idempotency.once('a', async () => 1, { onBusy: 'reject' }))).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(performance.now() - began).toBeLessThan(100);
    const waiting = idempotency.once('a', async () => 1, { waitTimeout: 50 });
    await expect(waiting).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    await expect(waiting).rejects.toHaveProperty('retryAfter', expect.any(Number));
    open();
    await running;
  });

  it('hands the error of a stream with a second value to the caller, and does not run again', async () => {
    const failed = one.idempotency.once('a', () => Promise.reject(new SecondValueError('a second value')));
    await expect(failed).rejects.toThrow('a second value');
    expect(await codeOf(other.idempotency.once('a', async () => 1))).toBe('IDEMPOTENCY_REPLY_NOT_KEPT');
  });

  it('refuses a call for the same key within the work, and not for another key', async () => {
    const nested = one.idempotency.once('a', () => one.idempotency.once('a', async () => 1));
    await expect(nested).rejects.toThrow('it would wait for itself');
    expect(await one.idempotency.once('b', () => one.idempotency.once('c', async () => 1))).toBe(1);
  });

  it('keeps only the mark of a large reply: the caller gets it, a duplicate does not, and nothing runs again', async () => {
    const large = 'x'.repeat(20_000);
    expect(await one.idempotency.once('a', async () => large)).toBe(large);
    expect(await codeOf(other.idempotency.once('a', async () => 'small'))).toBe('IDEMPOTENCY_REPLY_NOT_KEPT');
    expect(await one.idempotency.once('b', async () => large, { maxBytes: 30_000 })).toBe(large);
    expect(await other.idempotency.once('b', async () => 'small')).toBe(large);
  });

  it('keeps by the codec of the application', async () => {
    const users = new Map([[1, { id: 1, name: 'Ann' }]]);
    const codec = {
      encode: (user: unknown) => (user as { id: number }).id,
      decode: (id: unknown) => users.get(id as number),
    };
    const user = await one.idempotency.once('a', async () => users.get(1)!, { codec });
    expect(user).toBe(users.get(1));
    expect(await other.idempotency.once('a', async () => ({ id: 2, name: 'x' }), { codec })).toBe(users.get(1));
  });

  it('keeps by a codec that loads what it needs, and refuses what another one has kept', async () => {
    const users = new Map([[1, { id: 1 }]]);
    const codec = {
      encode: async (user: unknown) => (user as { id: number }).id,
      decode: async (id: unknown) => users.get(id as number),
    };
    expect(await one.idempotency.once('a', async () => users.get(1)!, { codec })).toBe(users.get(1));
    expect(await other.idempotency.once('a', async () => ({ id: 2 }), { codec })).toBe(users.get(1));
    expect(await codeOf(other.idempotency.once('a', async () => ({ id: 2 })))).toBe('IDEMPOTENCY_REPLY_UNREADABLE');
    expect(types(other)).toContain('unreadable');
  });

  it('tells and forgets what is kept', async () => {
    expect(await one.idempotency.peek('a')).toBeNull();
    await one.idempotency.once('a', async () => 'secret');
    const info = await other.idempotency.peek('a');
    expect(info).toMatchObject({ key: 'a', state: 'kept', attempts: 1 });
    expect(JSON.stringify(info)).not.toContain('secret');
    expect([await other.idempotency.forget('a'), await other.idempotency.forget('a')]).toEqual([true, false]);
    expect(await other.idempotency.once('a', async () => 'again')).toBe('again');
  });

  it('answers with the reply of whoever took over, if its lock was lost meanwhile', async () => {
    const { begun, pass, open } = gate();
    let runs = 0;
    const slow = one.idempotency.once('a', async (call) => {
      runs += 1;
      await call.lock.release();
      await pass();
      return 'late';
    });
    await begun;
    expect(await other.idempotency.once('a', async () => 'taken over')).toBe('taken over');
    open();
    expect(await slow).toBe('taken over');
    expect([runs, types(one).includes('superseded')]).toEqual([1, true]);
  });

  it('answers with that reply, too, if its own work took longer than `waitTimeout`', async () => {
    const { begun, pass, open } = gate();
    const slow = one.idempotency.once(
      'a',
      async (call) => {
        await call.lock.release();
        await pass();
        return 'late';
      },
      { waitTimeout: 50 },
    );
    await begun;
    await other.idempotency.once('a', async () => 'taken over');
    await new Promise((resolve) => setTimeout(resolve, 100));
    open();
    expect(await codeOf(slow)).toBe('taken over');
  });

  it("leaves a call its reply that goes on late, although a duplicate was refused meanwhile with 'refuse'", async () => {
    const { begun, pass, open } = gate();
    const late = one.idempotency.once('a', async (call) => {
      await call.lock.release();
      await pass();
      return 'done';
    });
    await begun;
    const refused = other.idempotency.once('a', async () => 1, { onInterrupted: 'refuse' });
    expect(await codeOf(refused)).toBe('IDEMPOTENCY_OUTCOME_UNKNOWN');
    open();
    expect([await late, await other.idempotency.once('a', async () => 2)]).toEqual(['done', 'done']);
  });

  it('needs no lock for a reply that comes while it waits, if the nodes of the locks have the reply', async () => {
    await one.idempotency.once('a', async () => 1);
    const blind = await replicas.start({}, blindAtFirst);
    expect(await blind.idempotency.once('a', async () => 2)).toBe(1);
    expect(types(blind).filter((type) => type === 'acquired')).toHaveLength(kind === 'nodes' ? 0 : 1);
  });

  it('leaves a call its reply that goes on late, although another request was refused behind it', async () => {
    const { begun, pass, open } = gate();
    let runs = 0;
    const late = one.idempotency.once(
      'a',
      async (call) => {
        runs += 1;
        await call.lock.release();
        await pass();
        return 'done';
      },
      { fingerprint: 'own' },
    );
    await begun;
    const blind = await replicas.start({}, blindAtFirst);
    const refused = blind.idempotency.once('a', async () => 1, { fingerprint: 'another' });
    expect(await codeOf(refused)).toBe('IDEMPOTENCY_KEY_REUSED');
    open();
    expect([await late, runs]).toEqual(['done', 1]);
  });

  it('goes by what is kept, and not by which call of the process came first', async () => {
    const own = { fingerprint: 'own' };
    await one.idempotency.once('a', async () => 1, own);
    const [wrong, right, impatient] = await Promise.all([
      codeOf(one.idempotency.once('a', async () => 2, { fingerprint: 'another' })),
      one.idempotency.once('a', async () => 2, own),
      one.idempotency.once('a', async () => 2, { ...own, onBusy: 'reject' }),
    ]);
    expect([wrong, right, impatient]).toEqual(['IDEMPOTENCY_KEY_REUSED', 1, 1]);
  });

  it('lets what a call has begun ask for its key after its end', async () => {
    let later: Promise<number> | undefined;
    const { pass, open } = gate();
    await one.idempotency.once('a', async () => {
      later = pass().then(() => one.idempotency.once('a', async () => 2));
      return 1;
    });
    open();
    expect(await later).toBe(1);
  });

  it('gives up in time where the store says again and again that another call has taken over', async () => {
    const ahead = (store: ReplyStore): ReplyStore => ({
      ...bound(store),
      open: () => Promise.resolve({ kind: 'superseded' }),
    });
    const replica = await replicas.start({ waitTimeout: 200 }, ahead);
    expect(await codeOf(replica.idempotency.once('a', async () => 1))).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(types(replica).filter((type) => type === 'superseded').length).toBeLessThan(10);
  });

  it('answers with its own reply if the store does not confirm it, and the next call finds an interrupted attempt', async () => {
    const settle = (): Promise<never> => Promise.reject(new Error('down'));
    const down = (store: ReplyStore): ReplyStore => ({ ...bound(store), settle });
    const lonely = await replicas.start({}, down);
    expect(await lonely.idempotency.once('a', async () => 1)).toBe(1);
    expect(types(lonely)).toContain('unkept');
    const next = await replicas.start();
    const previous: string[] = [];
    await next.idempotency.once('a', async (call) => void previous.push(call.previous));
    expect(previous).toEqual(['interrupted']);
  });

  it.each([
    [{ keep: 0 }, 'keep must be a whole number above 0'],
    [{ onBusy: 'maybe' }, 'onBusy must be one of wait, reject'],
    [{ timeout: 1 }, 'there is no option "timeout"'],
    [{ codec: { encode: 1 } }, 'codec must be an object'],
    [{ ttl: 'x' }, 'ttl must be'],
  ])('refuses the options %j', async (options, message) => {
    await expect(one.idempotency.once('a', async () => 1, options as object)).rejects.toThrow(message);
  });
});
