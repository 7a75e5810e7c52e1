import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { LockLostError, ResourceLockedError } from '../../lib/engine/errors.js';
import type { LockEvent } from '../../lib/engine/events.js';
import type { Lock } from '../../lib/engine/lock.js';
import { Redlock } from '../../lib/engine/redlock.js';
import { SystemClock } from '../../lib/engine/system-clock.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { eventually } from '../support/eventually.js';

const CALLERS = 50;
const fail = (): never => {
  throw new Error('code of others');
};
/** What somebody does who thinks that the list is theirs. */
const spoil = (list: readonly string[]): void => {
  try {
    (list as string[]).length = 0;
  } catch {
    // A frozen list throws.
  }
};

let nodes: MemoryNode[];
let warnings: jest.SpiedFunction<typeof process.emitWarning>;

beforeEach(() => {
  nodes = [1, 2, 3].map((index) => new MemoryNode(`node-${index}`, new SystemClock()));
  warnings = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
});
afterEach(() => void jest.restoreAllMocks());

describe('a listener that throws', () => {
  it('keeps no caller from its answer, and is reported once', async () => {
    const redlock = new Redlock({ nodes, listener: fail });
    const turns = Array.from({ length: CALLERS }, () => redlock.withLock('a', () => 'done', { waitTimeout: 20_000 }));
    expect(await Promise.all(turns)).toEqual(Array.from({ length: CALLERS }, () => 'done'));
    expect(warnings.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('code of others')]);
    await redlock.close();
  });

  it('keeps no holder from hearing that its lock is lost', async () => {
    const redlock = new Redlock({ nodes, listener: fail });
    const locks = await Promise.all(['a', 'b', 'c'].map((name) => redlock.acquire(name, { ttl: 60 })));
    await eventually(() =>
      expect(locks.map(({ signal }) => signal.reason)).toEqual(locks.map(() => expect.any(LockLostError))),
    );
    await redlock.close();
  });
});

describe('a logger that throws', () => {
  it('keeps neither callers from their answers, nor holders from hearing of a loss, nor the shutdown from its end', async () => {
    for (const level of ['log', 'warn', 'error', 'debug'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation(fail);
    const service = new RedlockService(nodes, { shutdownTimeout: 20 });
    await service.onModuleInit();
    const lost = await service.acquire('a', { ttl: 60 });
    await eventually(() => expect(lost.signal.aborted).toBe(true));
    const held = await service.acquire('b', { ttl: 5_000, autoExtend: true });
    const refused = Array.from({ length: CALLERS }, () => service.tryAcquire('b'));
    expect(await Promise.all(refused)).toEqual(refused.map(() => null));
    await service.onApplicationShutdown();
    expect(held.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'shutdown' });
    expect(warnings.mock.calls.map(([text]) => text)).toContainEqual(
      expect.stringContaining('The logger of the application throws'),
    );
  });
});

describe('a list of resources that leaves the engine', () => {
  const holdsOnce = async (spoilBy: (redlock: Redlock, lock: Lock) => void | Promise<void>): Promise<void> => {
    const events: LockEvent[] = [];
    const redlock = new Redlock({ nodes, listener: (event) => events.push(event) });
    const lock = await redlock.acquire('a');
    await spoilBy(redlock, lock);
    expect(lock.resources).toEqual(['a']);
    await expect(redlock.acquire('a', { waitTimeout: 0 })).rejects.toThrow(ResourceLockedError);
    await lock.release();
    await (await redlock.acquire('a', { waitTimeout: 0 })).release();
    await redlock.close();
  };

  it('is not the one that a lock goes by: a caller may spoil `lock.resources`', () =>
    holdsOnce((_redlock, lock) => spoil(lock.resources)));

  it('is not the one of an error: a caller may spoil `error.resources`', () =>
    holdsOnce(async (redlock) => {
      const error = await redlock
        .acquire('a', { waitTimeout: 0 })
        .catch((reason: unknown) => reason as ResourceLockedError);
      spoil((error as ResourceLockedError).resources);
      expect((error as ResourceLockedError).resources).toEqual(['a']);
    }));

  it('is not the one of an event: two callers never have one lock, whatever a listener does to the events', async () => {
    const events: LockEvent[] = [];
    const redlock = new Redlock({
      nodes,
      listener: (event) => {
        events.push(event);
        if ('resources' in event) spoil(event.resources);
      },
    });
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => redlock.withLock('a', work, { waitTimeout: 20_000 })));
    expect(most).toBe(1);
    expect(events.filter((event) => 'resources' in event && event.resources.length === 0)).toEqual([]);
    await redlock.close();
  });
});
