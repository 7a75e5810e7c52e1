import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockForOnce, Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const OPENS = { fingerprint: 'f', ttl: 60_000 };

describe('a lock whose votes open a record', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client({ nodeTimeout: 50 }));
  });

  const take = (options = {}): Promise<LockForOnce | undefined> =>
    pool.clock.until(redlock.acquireOnce('a', { ttl: 1_000, ...options }, OPENS));
  const peeked = (): Promise<unknown> => pool.clock.until(redlock.register.peek('a'));
  const types = (): string[] => events.map(({ type }) => type);
  const ballot = ({ lock }: LockForOnce) => ({ token: lock.fencingToken, owner: lock.value, fingerprint: 'f' });

  it('needs no question of its own for the record', async () => {
    const taken = await take();
    expect(taken?.isOpened).toBe(true);
    expect(pool.nodes[0]!.calls.map(({ verb }) => verb)).toEqual(['acquire']);
    expect(await peeked()).toEqual({ kind: 'running', fingerprint: 'f' });
    expect(await pool.clock.until(redlock.register.settle('a', ballot(taken!), 'r', 1_000))).toBe('settled');
  });

  it('is not given if there is a record, which no event tells', async () => {
    const taken = await take();
    await pool.clock.until(redlock.register.settle('a', ballot(taken!), 'r', 1_000));
    await pool.clock.until(taken!.lock.release());
    events.length = 0;
    pool.nodes[0]!.calls.length = 0;
    expect(await take()).toBeUndefined();
    await pool.clock.advance(0);
    expect(pool.nodes[0]!.calls.map(({ verb }) => verb)).toEqual(['acquire']);
    expect([pool.owners('a'), types()]).toEqual([Array(3).fill(undefined), []]);
  });

  it.each([[['a']], [['a', 'b']]])(
    'tells nothing to a call for %j that comes in the same moment',
    async (resources) => {
      const taken = await take();
      await pool.clock.until(redlock.register.settle('a', ballot(taken!), 'r', 60_000));
      await pool.clock.until(taken!.lock.release());
      pool.nodes.forEach((node) => node.fail({ slow: 5 }));
      const once = redlock.acquireOnce('a', { ttl: 1_000 }, OPENS);
      const plain = redlock.tryAcquire(resources);
      expect(await pool.clock.until(once)).toBeUndefined();
      expect((await pool.clock.until(plain))?.isValid).toBe(true);
    },
  );

  it('tells nothing to usual locks that wait behind it, or are tried then: they are asked for at once', async () => {
    const other = pool.client();
    const first = await pool.clock.until(other.redlock.acquireOnce('a', { ttl: 30_000 }, OPENS));
    const once = redlock.acquireOnce('a', { ttl: 1_000 }, OPENS);
    const plain = redlock.acquire('a', { ttl: 20_000, retryDelay: 60_000 });
    await pool.clock.advance(10);
    await pool.clock.until(other.redlock.register.settle('a', ballot(first!), 'r', 60_000));
    expect(await pool.clock.until(once)).toBeUndefined();
    expect(pool.nodes[0]!.callsOf('acquire').filter(({ ttl }) => ttl === 20_000)).toHaveLength(1);
    expect(await pool.clock.until(redlock.tryAcquire('a'))).toBeNull();
    await pool.clock.until(first!.lock.release());
    expect((await pool.clock.until(plain)).isValid).toBe(true);
  });

  it('leaves an answer to a try that came meanwhile, if it gives up before it is clear', async () => {
    const attempt = { value: 'z', token: 1, fingerprint: null };
    pool.nodes[0]!.data.execute('other', [{ kind: 'settle', resource: 'a', record: 'r', ttl: 60_000, ...attempt }]);
    pool.memory.slice(1).forEach((memory) => memory.set('a', 'x', 5_000));
    pool.nodes[2]!.fail({ slow: 30 });
    const abort = new AbortController();
    const once = redlock.acquireOnce('a', { ttl: 10_000, signal: abort.signal }, OPENS);
    await pool.clock.advance(10);
    const tried: unknown[] = [];
    void redlock.tryAcquire('a').then((lock) => tried.push(lock));
    abort.abort(new Error('enough'));
    await expect(once).rejects.toThrow('enough');
    await pool.clock.advance(1_000);
    expect(tried).toEqual([null]);
  });

  it('opens nothing beside what an attempt has left that was interrupted', async () => {
    const first = await take();
    await pool.clock.until(first!.lock.release());
    const second = await take();
    expect(second?.isOpened).toBe(false);
    expect(await pool.clock.until(redlock.register.open('a', ballot(second!), 1_000))).toMatchObject({
      kind: 'interrupted',
      attempts: 1,
    });
  });

  it('has opened nothing by the votes of fewer nodes than a quorum', async () => {
    pool.nodes[0]!.fail('down');
    const first = await take();
    await pool.clock.until(first!.lock.release());
    pool.nodes[0]!.fail();
    await pool.clock.advance(100);
    expect((await take())?.isOpened).toBe(false);
  });

  it('does not take its own attempts for interrupted ones that came to nothing before', async () => {
    pool.nodes.slice(0, 2).forEach((node) => node.fail({ slow: 60 }));
    pool.clock.schedule(10, () => pool.nodes.forEach((node) => node.fail()));
    const taken = await take();
    const opened = pool.clock.until(redlock.register.open('a', ballot(taken!), 1_000));
    expect(await opened).toEqual({ kind: 'new' });
    expect(pool.nodes[0]!.callsOf('acquire').length).toBeGreaterThan(0);
    expect(pool.clock.now().monotonic).toBeGreaterThanOrEqual(50);
  });

  it.each([
    ['before it is given', 10],
    ['at the moment in which it is given', 20],
  ])('leaves nothing if its call is aborted %s', async (_when, at) => {
    pool.nodes.forEach((node) => node.fail({ slow: 20 }));
    const abort = new AbortController();
    pool.clock.schedule(at, () => abort.abort(new Error('enough')));
    await expect(take({ signal: abort.signal })).rejects.toThrow('enough');
    pool.nodes.forEach((node) => node.fail());
    await pool.clock.advance(100);
    expect(await peeked()).toEqual({ kind: 'none' });
    expect((await take())?.isOpened).toBe(true);
  });

  it('leaves nothing if it was over before its caller could begin', async () => {
    const taking = redlock.acquireOnce('a', { ttl: 1_000, waitTimeout: 0 }, OPENS).catch((error: unknown) => error);
    pool.clock.nextTurn(() => pool.clock.nextTurn(() => pool.clock.block(2_000)));
    expect(await pool.clock.until(taking)).toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    await pool.clock.advance(10);
    expect(await peeked()).toEqual({ kind: 'none' });
  });

  it('that another process hands over has opened nothing', async () => {
    const other = pool.client();
    const held = await pool.clock.until(other.redlock.acquire('a'));
    const taking = redlock.acquireOnce('a', { ttl: 1_000 }, OPENS);
    await pool.clock.advance(20);
    void held.release();
    expect((await pool.clock.until(taking))?.isOpened).toBe(false);
    expect(await peeked()).toEqual({ kind: 'none' });
  });

  it('releases the votes that came unasked, if it meets a record instead', async () => {
    const other = pool.client();
    const first = await pool.clock.until(other.redlock.acquireOnce('a', { ttl: 1_000 }, OPENS));
    const taking = redlock.acquireOnce('a', { ttl: 1_000 }, OPENS);
    await pool.clock.advance(10);
    // The messages about the votes are lost, so the next question meets both the votes and the record.
    pool.nodes.forEach((node) => (node.faults = { grant: 'silent' }));
    await pool.clock.until(other.redlock.register.settle('a', ballot(first!), 'r', 60_000));
    await pool.clock.until(first!.lock.release());
    expect(await pool.clock.until(taking)).toBeUndefined();
    await pool.clock.advance(5);
    expect(pool.owners('a')).toEqual(Array(3).fill(undefined));
  });
});

describe('ReplyRegister.open without a quorum', () => {
  it('leaves what was there before if its caller gives up', async () => {
    const pool = new MemoryPool();
    const { redlock } = pool.client({ nodeTimeout: 50 });
    const ballotOf = (token: number) => ({ token, owner: `o${token}`, fingerprint: `f${token}` });
    const open = (token: number) => pool.clock.until(redlock.register.open('a', ballotOf(token), 60_000));
    expect(await open(1)).toEqual({ kind: 'new' });
    pool.nodes.slice(0, 2).forEach((node) => (node.faults = { open: { slow: 80 } }));
    await expect(open(2)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    await pool.clock.until(redlock.register.clear('a', ballotOf(2)));
    pool.nodes.forEach((node) => node.fail());
    await pool.clock.advance(100);
    expect(await open(3)).toEqual({ kind: 'interrupted', attempts: 1, fingerprint: 'f1' });
  });
});
