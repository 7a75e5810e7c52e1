import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SystemClock } from '../../lib/engine/system-clock.js';
import type { NodeListener } from '../../lib/engine/lock-node.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { eventually } from '../support/eventually.js';
import { connectionsTo } from '../support/memory-connections.js';

const ANN = 'user:ann@example.com';
const ALL = { retryDelay: 10, waitTimeout: 0 };

describe('the log of RedlockService', () => {
  let nodes: MemoryNode[];
  let lines: string[];
  const services: RedlockService[] = [];
  const serviceOf = (options: Omit<RedlockModuleOptions, 'nodes'> = {}): RedlockService => {
    const service = new RedlockService(connectionsTo(nodes), options);
    services.push(service);
    return service;
  };

  beforeEach(() => {
    nodes = [1, 2, 3].map((index) => new MemoryNode(`node-${index}`, new SystemClock()));
    lines = [];
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => void lines.push(String(line)));
  });

  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.onApplicationShutdown()));
    jest.restoreAllMocks();
  });

  const loseLock = async (service: RedlockService): Promise<void> => {
    const lock = await service.acquire(ANN);
    for (const node of nodes) node.data.plant(ANN, 'foreign');
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST', resources: [ANN] });
  };

  it('has no e-mail address in it, whatever happens to a lock', async () => {
    const service = serviceOf({ shutdownTimeout: 20 });
    await loseLock(service);
    await service.withLock('held', async () => service.tryAcquire(['held', ANN]));
    for (const node of nodes) node.data.plant(ANN, 'foreign', 1);
    await service.withLock(`${ANN}:2`, () => service.withLock(`${ANN}:2`, () => 1, ALL).catch(() => undefined));
    await service.acquire('job:ann@example.com');
    await service.onApplicationShutdown();
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.join('\n')).not.toMatch(/ann@|example/);
    expect(lines).toContainEqual(expect.stringContaining('The lock on "user:*" was lost'));
  });

  it('has whole names where that is asked for', async () => {
    await loseLock(serviceOf({ logKeys: true }));
    expect(lines).toEqual([expect.stringContaining(`The lock on "${ANN}" was lost`)]);
  });

  it('has two lines of all locks that the shutdown takes away', async () => {
    const service = serviceOf({ shutdownTimeout: 0 });
    for (let index = 0; index < 50; index += 1) await service.acquire(`job:${index}`);
    await service.onApplicationShutdown();
    expect(lines).toEqual([
      expect.stringMatching(/^The lock on "job:\*" was lost: /),
      expect.stringMatching(/^The lock on "job:\*" was lost: .* \(the last of 49 more within 5 s\)$/),
    ]);
  });

  it('says at shutdown which locks it waits for, and how long they have been held', async () => {
    const service = serviceOf();
    const lock = await service.acquire('export:42');
    const other = await service.acquire('nightly');
    const closing = service.onApplicationShutdown();
    expect(lines).toEqual([
      expect.stringMatching(
        /^The shutdown waits for at most 5 s for 2 locks: "export:\*" held for \d+ ms, "nightly" held for \d+ ms$/,
      ),
    ]);
    await Promise.all([lock.release(), other.release(), closing]);
    expect(lines).toHaveLength(1);
  });

  it('says nothing at shutdown when no lock is held', async () => {
    const service = serviceOf();
    await (await service.acquire('nightly')).release();
    await service.onApplicationShutdown();
    expect(lines).toEqual([]);
  });

  it('says once that there is no quorum, and once that locks are possible again', async () => {
    const listeners: NodeListener[] = [];
    for (const node of nodes) node.open = async (listener) => void listeners.push(listener);
    const service = new RedlockService(nodes);
    services.push(service);
    await service.onModuleInit();
    for (const listener of listeners) listener.event({ type: 'node-down', reason: 'closed' });
    expect(lines.filter((line) => line.startsWith('No quorum'))).toEqual([
      'No quorum: 1 of 3 nodes vote, 2 needed, so there are no locks [REDLOCK_W07]',
    ]);
    for (const listener of listeners) listener.event({ type: 'node-up' });
    await eventually(() =>
      expect(lines.filter((line) => line.startsWith('Locks are possible'))).toEqual([
        'Locks are possible again: 2 of 3 nodes vote',
      ]),
    );
  });
});
