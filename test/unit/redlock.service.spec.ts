import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { lastValueFrom, toArray } from 'rxjs';
import { SystemClock } from '../../lib/engine/system-clock.js';
import { LockKeyError, RedlockClosedError } from '../../lib/engine/errors.js';
import type { LockEvent } from '../../lib/engine/events.js';
import type { NodeEvent } from '../../lib/engine/lock-node.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { connectionsTo } from '../support/memory-connections.js';
import { Deferred } from '../support/nest/deferred.js';

describe('RedlockService', () => {
  let nodes: MemoryNode[];
  let service: RedlockService;
  let rival: RedlockService;
  const serviceOf = (options: Omit<RedlockModuleOptions, 'nodes'> = {}): RedlockService =>
    new RedlockService(connectionsTo(nodes), options);

  beforeEach(() => {
    nodes = [1, 2, 3].map((index) => new MemoryNode(`node-${index}`, new SystemClock()));
    [service, rival] = [serviceOf(), serviceOf()];
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([service, rival].map((each) => each.onApplicationShutdown()));
  });

  it.each<[string, (target: RedlockService) => Promise<unknown>]>([
    ['acquire', (target) => target.acquire('')],
    ['tryAcquire', (target) => target.tryAcquire('')],
    ['withLock', (target) => target.withLock('', () => 1)],
  ])('rejects a bad resource or option, and never throws while it is called: %s', async (_name, call) => {
    let promise: Promise<unknown> | undefined;
    expect(() => (promise = call(service).catch((error: unknown) => error))).not.toThrow();
    await expect(promise).resolves.toBeInstanceOf(LockKeyError);
  });

  it('tells what happens to its locks, and ends that with the application', async () => {
    const told = lastValueFrom(service.events$.pipe(toArray()));
    await service.withLock('a', async (lock) => {
      await lock.extend();
      await service.tryAcquire(['a', 'b']).catch(() => undefined);
    });
    await rival.withLock('b', () => service.tryAcquire('b'));
    await service.onApplicationShutdown();
    const events = (await told).map((event) => [event.type, 'resources' in event && event.resources]);
    expect(events).toEqual([
      ['acquired', ['a']],
      ['extended', ['a']],
      ['self-contended', ['a', 'b']],
      ['contended', ['a', 'b']],
      ['refused', ['a', 'b']],
      ['released', ['a']],
      ['contended', ['b']],
      ['refused', ['b']],
    ]);
  });

  describe('at shutdown', () => {
    it('takes no new locks and waits for the holders', async () => {
      const [inside, work] = [new Deferred(), new Deferred()];
      const holder = service.withLock('a', () => {
        inside.resolve();
        return work.promise;
      });
      await inside.promise;
      const closing = service.onApplicationShutdown();
      await expect(service.acquire('b')).rejects.toBeInstanceOf(RedlockClosedError);
      expect(nodes[0]!.data.read('a')).toBeDefined();
      work.resolve();
      await Promise.all([holder, closing]);
      expect(nodes[0]!.data.read('a')).toBeUndefined();
    });

    it('waits no longer than it is told to, and then releases what is left', async () => {
      const hurried = serviceOf({ shutdownTimeout: 0 });
      const lock = await hurried.acquire('a');
      await hurried.onApplicationShutdown();
      expect([lock.isValid, nodes[0]!.data.read('a')]).toEqual([false, undefined]);
    });
  });

  describe('in the log', () => {
    function logOf(method: 'warn' | 'log' | 'error'): unknown[] {
      const lines: unknown[] = [];
      jest.spyOn(Logger.prototype, method).mockImplementation((line: unknown) => void lines.push(line));
      return lines;
    }

    it('says when a node goes and comes, and when it refuses to vote, and why', async () => {
      const [warnings, notes] = [logOf('warn'), logOf('log')];
      let tell: (event: NodeEvent) => void = () => undefined;
      const connections = connectionsTo(nodes);
      connections[0]!.open = async (listener) => void (tell = (event) => listener.event(event));
      service = new RedlockService(connections);
      await service.onModuleInit();
      tell({ type: 'node-down', reason: 'connection closed' });
      tell({ type: 'node-up' });
      tell({ type: 'node-refused', reason: 'OOM command not allowed' });
      tell({ type: 'node-accepted' });
      expect(warnings).toEqual([
        'node-1 is down: connection closed [REDLOCK_W01]',
        'node-1 refuses to vote: OOM command not allowed [REDLOCK_W02]',
      ]);
      expect(notes).toEqual(['node-1 is up', 'node-1 votes again']);
    });

    it('says once, and at once, that a call waits for what the code around it holds', async () => {
      const warnings = logOf('warn');
      await service.withLock('a', async () => {
        const waiting = [1, 2, 3].map(() => service.withLock('a', () => 1, { waitTimeout: 20 }));
        expect(warnings).toEqual([expect.stringMatching(/^"a" is already held by this call.* reentrant: true/)]);
        await Promise.allSettled(waiting);
      });
      expect(warnings).toHaveLength(1);
    });

    it('says when a lock was lost', async () => {
      const errors = logOf('error');
      const events: LockEvent[] = [];
      service.events$.subscribe((event) => events.push(event));
      const lock = await service.acquire('a');
      for (const node of nodes) node.data.plant('a', 'foreign');
      await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
      expect(errors).toEqual([expect.stringMatching(/"a" was lost/)]);
      expect(events.at(-1)).toMatchObject({ type: 'lost', error: { code: 'LOCK_LOST' } });
    });
  });
});
