import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SystemClock } from '../../lib/engine/system-clock.js';
import type { Lock } from '../../lib/engine/lock.js';
import type { LockOptions } from '../../lib/engine/options.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { toPlan } from '../../lib/with-lock/run/lock-plan.js';
import { withLockOf } from '../../lib/with-lock/run/run-locked.js';
import { WaitCancellation } from '../../lib/with-lock/transport/wait-cancellation.js';

/** As an application may have it. */
class Counting extends RedlockService {
  readonly asked: unknown[] = [];

  override withLock<T>(...args: Parameters<typeof RedlockService.prototype.withLock<T>>): Promise<T> {
    this.asked.push([args[0], args[2]]);
    return super.withLock(...args);
  }
}

describe('a call of a method with @WithLock', () => {
  const nodes = [1, 2, 3].map((index) => new MemoryNode(`node-${index}`, new SystemClock()));
  const work = async (lock: Lock | undefined): Promise<boolean> => lock!.isValid;
  const { options } = toPlan('a', { ttl: 700 }, 'here');
  const skips = false;
  let signal: WaitCancellation;
  let service: RedlockService;

  beforeEach(() => void (signal = new WaitCancellation()));
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.onApplicationShutdown();
  });

  it('asks a service whose withLock is overridden, with ordinary options', async () => {
    const counting = new Counting(nodes, {});
    service = counting;
    await expect(withLockOf(service, { resources: ['a'], work, options, signal, skips })).resolves.toBe(true);
    expect(counting.asked).toEqual([[['a'], { ttl: 700, label: 'a', signal: expect.any(AbortSignal) }]]);
    // The very one: any two that are not aborted are equal.
    expect((counting.asked as [unknown, LockOptions][])[0]![1].signal).toBe(signal.signal);
  });

  it('calls the spy that replaces one of its methods', async () => {
    service = new RedlockService(nodes, {});
    const spy = jest.spyOn(service, 'withLock');
    await expect(withLockOf(service, { resources: ['a'], work, options, signal, skips })).resolves.toBe(true);
    expect(spy).toHaveBeenCalledWith(['a'], work, { ttl: 700, label: 'a', signal: expect.any(AbortSignal) });
    expect((spy.mock.calls[0]![2] as LockOptions).signal).toBe(signal.signal);
  });

  it('makes no signal otherwise, which costs more than all the rest', async () => {
    service = new RedlockService(nodes, {});
    // Before that a call waits, which its end has to be heard for.
    await service.onModuleInit();
    const spy = jest.spyOn(signal, 'signal', 'get');
    await expect(withLockOf(service, { resources: ['a'], work, options, signal, skips })).resolves.toBe(true);
    expect(spy).not.toHaveBeenCalled();
  });

  it('warns of no name that looks like a template, since a template or a function of the decorator has made it', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    service = new RedlockService(nodes, {});
    const resources = ['user:<body.email>'];
    await expect(withLockOf(service, { resources, work, options, signal: undefined, skips })).resolves.toBe(true);
    expect(warn.mock.calls.filter(([line]) => String(line).includes('<body.email>'))).toEqual([]);
  });

  it('refuses more resources than the pool allows, which is not known before', async () => {
    service = new RedlockService(nodes, { maxResources: 1 });
    const call = async (): Promise<boolean> =>
      withLockOf(service, { resources: ['a', 'b'], work, options, signal, skips });
    await expect(call()).rejects.toThrow(/at most 1 resources at once; got 2/);
  });
});
