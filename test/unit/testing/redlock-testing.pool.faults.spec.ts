import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockService } from '../../../lib/redlock.service.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';

const turn = (): Promise<void> => new Promise(setImmediate);
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? error,
  );

describe('a pool under test, whose nodes have faults,', () => {
  let module: TestingModule;
  let testing: RedlockTesting;
  let service: RedlockService;

  const start = async (options = {}): Promise<void> => {
    module = await Test.createTestingModule({
      imports: [RedlockTestingModule.forRoot({ clock: 'manual', ...options })],
    }).compile();
    module.useLogger(false);
    testing = module.get(RedlockTesting);
    service = module.get(RedlockService);
  };

  beforeEach(() => start());
  afterEach(() => module.close());

  it('locks with a minority of them down, and not with all', async () => {
    testing.outage(1);
    expect(await codeOf(service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
    testing.outage();
    expect(testing.count('node-down')).toBe(3);
    expect(await codeOf(service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
    testing.recover();
    expect(await codeOf(service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
  });

  it('says who waits for nodes to answer, and gives them the lock once these do', async () => {
    testing.outage(2);
    const taking = service.acquire('a');
    await testing.untilWaiting('a');
    testing.recover();
    await testing.advance(300);
    await (await taking).release();
    expect(testing.waiting('a')).toBe(0);
  });

  it.each([
    ['frozen', (node: RedlockTesting['nodes'][number]) => node.freeze()],
    ['too slow', (node: RedlockTesting['nodes'][number]) => node.slow(60)],
  ])('waits for nodes that are %s no longer than nodeTimeout', async (_name, fault) => {
    for (const node of testing.nodes) fault(node);
    let code: unknown;
    void codeOf(service.acquire('a', { waitTimeout: 0 })).then((told) => (code = told));
    await testing.advance(49);
    expect(code).toBeUndefined();
    await testing.advance(60);
    expect(code).toBe('QUORUM_NOT_REACHED');
    testing.recover();
    await turn();
    expect(testing.locked()).toEqual([]);
  });

  it('locks on nodes that are slow, but not too slow', async () => {
    for (const node of testing.nodes) node.slow(40);
    const taking = service.acquire('a', { waitTimeout: 0 });
    await testing.advance(40);
    const lock = await taking;
    expect(lock.validity).toBeLessThanOrEqual(5_000 - 40);
    testing.recover();
    await lock.release();
  });

  it('loses what a majority forgot, at the next extension', async () => {
    const lock = await service.acquire('a', { ttl: 3_000, autoExtend: true });
    testing.nodes[0]!.restart();
    testing.nodes[1]!.restart();
    expect(lock.signal.aborted).toBe(false);
    await testing.advance(1_500);
    expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('keeps what a majority did not forget', async () => {
    const lock = await service.acquire('a', { ttl: 3_000, autoExtend: true });
    testing.nodes[0]!.restart();
    testing.nodes[1]!.restart({ keep: true });
    await testing.advance(30_000);
    expect(lock.isValid).toBe(true);
    await lock.release();
  });

  it('does not lock on nodes that may have forgotten locks', async () => {
    testing.nodes[0]!.restart({ quarantine: true });
    testing.nodes[1]!.restart({ quarantine: true });
    expect(await service.acquire('a', { waitTimeout: 0 }).catch((error: unknown) => error)).toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      retryAfter: 30_000,
    });
    await testing.advance(30_000);
    expect(await codeOf(service.withLock('a', () => undefined))).toBe('done');
  });

  it('quarantines its new and restarted nodes where it is told to', async () => {
    await module.close();
    await start({ restartQuarantine: true, maxTtl: 5_000 });
    expect(await codeOf(service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
    await testing.advance(5_000);
    expect(await codeOf(service.withLock('a', () => undefined))).toBe('done');
    for (const node of testing.nodes) node.restart();
    expect(await codeOf(service.acquire('a', { waitTimeout: 0 }))).toBe('QUORUM_NOT_REACHED');
  });
});
