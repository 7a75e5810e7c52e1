import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError, RedlockClosedError, ResourceLockedError } from '../../../../../lib/core/api/errors.js';
import { WaitingCallers } from '../../../../support/waiting-callers.js';

const FREE = [undefined, undefined, undefined];
const NOBODY = [[], [], []];

describe('CallerQueues, when a waiter', () => {
  let callers: WaitingCallers;

  beforeEach(() => {
    callers = new WaitingCallers();
  });

  it('is one too many, tell it at once that the resource is locked', async () => {
    callers = new WaitingCallers({ maxWaiters: 2 });
    const first = await callers.acquire();
    const both = callers.lineUp(2);
    await callers.clock.advance(1_000);
    await expect(callers.errorOf(callers.redlock.acquire('a'))).resolves.toMatchObject({
      code: 'RESOURCE_LOCKED',
      retryAfter: first.validity,
    });
    expect(callers.now).toBe(1_000);
    await callers.clock.until(first.release());
    const second = await callers.clock.until(both[0]!);
    const third = callers.lineUp(1)[0]!;
    await callers.clock.until(second.release());
    await callers.clock.until((await callers.clock.until(both[1]!)).release());
    expect((await callers.clock.until(third)).isValid).toBe(true);
  });

  it('has waited for its waitTimeout behind a holder, tell it that the resource is locked, and when it may be free', async () => {
    await callers.acquire({ ttl: 10_000 });
    await expect(callers.errorOf(callers.redlock.acquire('a', { waitTimeout: 700 }))).resolves.toMatchObject({
      code: 'RESOURCE_LOCKED',
      resources: ['a'],
      retryAfter: 9_898 - 700,
    });
    expect([callers.now, callers.asked]).toEqual([700, 1]);
  });

  describe('is aborted by a listener of `contended`, reject it at once, where', () => {
    let contended: () => void;

    beforeEach(async () => {
      callers = new WaitingCallers({ listener: ({ type }) => void (type === 'contended' && contended()) });
      await callers.acquire({ ttl: 20_000 });
    });

    it.each([[['a']], [['a', 'b']]])('it wants %j', async (resources) => {
      const abort = new AbortController();
      contended = () => abort.abort(new Error('enough'));
      const call = callers.redlock.acquire(resources, { waitTimeout: Infinity, signal: abort.signal });
      await expect(callers.errorOf(call)).resolves.toMatchObject({ message: 'enough' });
      expect(callers.now).toBe(0);
    });

    it('the listener closes the pool', async () => {
      contended = () => void callers.redlock.drain(5_000);
      await expect(callers.errorOf(callers.redlock.acquire('a'))).resolves.toBeInstanceOf(RedlockClosedError);
      expect(callers.now).toBe(0);
    });
  });

  it('has waited for its waitTimeout while the nodes are away, tell it that, and not that the resource is locked', async () => {
    for (const node of callers.pool.nodes) node.fail('down');
    const first = callers.errorOf(callers.redlock.acquire('a', { waitTimeout: 2_000 }));
    const second = callers.redlock.acquire('a', { waitTimeout: 700 }).catch((error: unknown) => [error, callers.now]);
    await first;
    expect(await second).toEqual([expect.any(QuorumNotReachedError), 700]);
  });

  it('comes while the nodes are away, tell nobody that another caller has the resource', async () => {
    const { redlock: away, events } = callers.pool.client();
    for (const node of callers.pool.nodes) node.fail('down');
    const first = callers.errorOf(away.acquire('a', { waitTimeout: 2_000 }));
    await callers.clock.advance(100);
    await callers.errorOf(away.acquire('a', { waitTimeout: 700 }));
    await first;
    expect(events.filter(({ type }) => type === 'contended')).toEqual([]);
  });

  it('has waited for as long as its retries would take, tell it that the resource is locked', async () => {
    await callers.acquire();
    const options = { retryCount: 3, retryDelay: 100, waitTimeout: Infinity };
    await expect(callers.errorOf(callers.redlock.acquire('a', options))).resolves.toBeInstanceOf(ResourceLockedError);
    expect(callers.now).toBe(300);
  });

  it('aborts, tell it its reason at once, and serve the others', async () => {
    const first = await callers.acquire();
    const caller = new AbortController();
    const [gone] = callers.lineUp(1, { signal: caller.signal });
    const [next] = callers.lineUp(1);
    callers.clock.schedule(333, () => caller.abort(new Error('enough')));
    await expect(callers.errorOf(gone!)).resolves.toMatchObject({ message: 'enough' });
    expect(callers.now).toBe(333);
    await callers.clock.until(first.release());
    await callers.clock.until(next!);
    // The first one had the lock to itself, so that it is not passed on without the nodes.
    expect([callers.now, callers.asked]).toEqual([333, 2]);
  });

  it('gives up in front of others, let the next one ask at once', async () => {
    callers.pool.memory.forEach((node) => node.set('a', 'foreign', 60_000));
    const caller = new AbortController();
    const [gone] = callers.lineUp(1, { signal: caller.signal });
    const [next] = callers.lineUp(1, { waitTimeout: 2_000 });
    const caught = [gone!, next!].map((waiter) => waiter.catch(() => undefined));
    await callers.clock.advance(1);
    const [value] = callers.waiting[0]!;
    callers.clock.schedule(332, () => caller.abort(new Error('enough')));
    await callers.clock.until(caught[0]!);
    expect(callers.waiting.map(([first]) => first === undefined || first === value)).toEqual([false, false, false]);
    await callers.clock.until(caught[1]!);
    expect([callers.now, callers.waiting]).toEqual([2_000, NOBODY]);
  });

  it('is sent away by a shutdown, tell it so at once', async () => {
    const first = await callers.acquire();
    const caught = callers.lineUp(3).map((waiter) => waiter.catch((error: unknown) => [error, callers.now]));
    await callers.clock.advance(100);
    const drained = callers.redlock.drain(5_000);
    const closed = [expect.any(RedlockClosedError), 100];
    expect(await callers.clock.until(Promise.all(caught))).toEqual([closed, closed, closed]);
    expect(callers.asked).toBe(1);
    await callers.clock.until(first.release());
    await callers.clock.until(drained);
    expect([callers.pool.owners('a'), callers.now, callers.clock.timers]).toEqual([FREE, 100, 0]);
  });

  it('was aborted while the nodes were being opened, tell it its reason at once', async () => {
    for (const node of callers.pool.nodes) node.open = () => callers.clock.sleep(100);
    const caller = new AbortController();
    const [first] = callers.lineUp(1);
    const [gone] = callers.lineUp(1, { signal: caller.signal, waitTimeout: 2_000 });
    const caught = gone!.catch((error: unknown) => [(error as Error).message, callers.now]);
    callers.clock.schedule(50, () => caller.abort(new Error('enough')));
    await callers.clock.until(first!);
    expect(await callers.clock.until(caught)).toEqual(['enough', 50]);
  });
});
