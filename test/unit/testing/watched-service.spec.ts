import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { FaultyNode } from '../../../lib/testing/nodes/faulty-node.js';
import { WatchedService } from '../../../lib/testing/watched-service.js';

describe('WatchedService', () => {
  let clock: ManualClock;
  let service: WatchedService;
  /** As it was told of. */
  let waitingOnA: number[];

  beforeEach(() => {
    clock = new ManualClock();
    const node = new FaultyNode('node', clock, { maxTtl: 30_000, restartQuarantine: false });
    const nodes = [node.connect('service')];
    waitingOnA = [];
    const onWaiting = (): void => void waitingOnA.push(service.waiting('a'));
    service = new WatchedService(nodes, {}, { clock, onWaiting });
  });

  afterEach(async () => {
    clock.runOn();
    await service.onApplicationShutdown();
  });

  it('counts the waiters of each resource until they have it or give up', async () => {
    const lock = await service.acquire(['a', 'b']);
    expect(service.waiting('a')).toBe(0);
    const first = service.acquire('a');
    const second = service.withLock('a', () => undefined, { waitTimeout: 100 }).catch((error: Error) => error.name);
    const both = service.acquire(['b', 'a'], { waitTimeout: 50 }).catch((error: Error) => error.name);
    expect([service.waiting('a'), service.waiting('b')]).toEqual([3, 1]);
    await clock.advance(50);
    expect([await both, service.waiting('a'), service.waiting('b')]).toEqual(['ResourceLockedError', 2, 0]);
    await clock.advance(50);
    expect([await second, service.waiting('a')]).toEqual(['ResourceLockedError', 1]);
    await lock.release();
    await clock.advance(500);
    await (await first).release();
    expect(service.waiting('a')).toBe(0);
  });

  it('does not count one whose work runs', async () => {
    let finish: () => void = () => undefined;
    const work = service.withLock('a', () => new Promise<void>((resolve) => (finish = resolve)));
    expect(service.waiting('a')).toBe(1);
    await clock.advance(0);
    expect(service.waiting('a')).toBe(0);
    finish();
    await work;
    expect(waitingOnA).toEqual([1, 0]);
  });

  it.each([
    ['acquire', () => service.acquire('a')],
    ['tryAcquire', () => service.tryAcquire('a')],
  ])('knows the lock that is held by %s, while it is', async (_name, take) => {
    const lock = await take();
    expect(service.lockOn('a')).toBe(lock);
    await lock!.release();
    expect(service.lockOn('a')).toBeUndefined();
  });

  it('knows the lock that withLock holds, on each resource', async () => {
    await service.withLock(['a', 'b'], (lock) => {
      expect([service.lockOn('a'), service.lockOn('b'), service.lockOn('c')]).toEqual([lock, lock, undefined]);
    });
    expect(service.lockOn('a')).toBeUndefined();
  });

  it('answers as any other service does', async () => {
    const lock = await service.acquire('a');
    await expect(service.tryAcquire('a')).resolves.toBeNull();
    await expect(service.acquire('a', { waitTimeout: 0 })).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    await expect(service.withLock('b', async () => 5)).resolves.toBe(5);
    await expect(service.withLock('b', undefined as never)).rejects.toThrow(/the work must be a function/);
    await expect(service.acquire(undefined as never)).rejects.toMatchObject({ code: 'LOCK_KEY' });
    await lock.release();
  });
});
