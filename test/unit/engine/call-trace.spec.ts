import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { ChannelLog } from '../../support/channel-log.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { EMIT } from '../../../lib/redlock.tokens.js';
import { publish } from '../../../lib/engine/channels.js';
import { TRUSTING } from '../../support/trust.js';

const OPERATIONS = ['acquire', 'hold', 'extend'].flatMap((name) => [`${name}:start`, `${name}:asyncEnd`]);

describe('the channels of locks', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let events: LockEvent[];
  let log: ChannelLog;
  const acquires = () => log.on('acquire:asyncEnd');
  const ask = (options: LockOptions = {}): Promise<unknown> =>
    pool.clock.until(redlock.acquire('a', options).catch((error: unknown) => error));

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client({ name: 'billing' }));
    log = new ChannelLog(...OPERATIONS, 'hold:error', 'acquire:error', 'extend:error');
  });
  afterEach(() => log.end());

  it('tell the life of a lock, in order', async () => {
    const lock = await pool.clock.until(redlock.acquire('a', { ttl: 1_000, label: 'user' }));
    await pool.clock.until(lock.extend());
    await pool.clock.advance(300);
    await pool.clock.until(lock.release());
    expect(log.channels).toEqual([
      'acquire:start',
      'hold:start',
      'acquire:asyncEnd',
      'extend:start',
      'extend:asyncEnd',
      'hold:asyncEnd',
    ]);
    const call = { pool: 'billing', resources: ['a'], template: 'user' };
    const { fencingToken } = lock;
    expect(log.on('acquire:start')).toEqual([{ ...call, options: { ttl: 1_000, waitTimeout: 8_000 } }]);
    const acquired = { outcome: 'acquired', path: 'free', attempts: 1, waited: 0, fencingToken };
    expect(acquires()).toEqual([expect.objectContaining({ ...call, ...acquired, result: lock })]);
    expect(log.on('extend:asyncEnd')).toEqual([expect.objectContaining({ ...call, fencingToken, validity: 988 })]);
    const held = { ...call, fencingToken, held: 300, extensions: 1, end: 'released' };
    expect(log.on('hold:asyncEnd')).toEqual([expect.objectContaining(held)]);
  });

  it('have one message for each operation, which leads from a lock to the call for it', async () => {
    const lock = await pool.clock.until(redlock.acquire('a'));
    await pool.clock.until(lock.extend());
    await pool.clock.until(lock.release());
    const [hold] = log.on('hold:asyncEnd');
    expect(hold!['acquire']).toMatchObject({ outcome: 'acquired', fencingToken: lock.fencingToken });
    expect(log.on('extend:asyncEnd')[0]!['hold']).toMatchObject({ acquire: hold!['acquire'] });
  });

  it("tell the path 'hand-off' of a caller that waited, and from when", async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 1_500));
    await ask();
    const [acquired] = acquires();
    expect(acquired).toMatchObject({ path: 'hand-off', contended: 0 });
    expect(acquired!['waited']).toBe(pool.clock.now().monotonic);
    expect(acquired!['attempts']).toBeGreaterThan(3);
  });

  it("tell the path 'local' of a caller to which the process passes its lock", async () => {
    const callers = Array.from({ length: 6 }, () => redlock.withLock('a', () => pool.clock.sleep(1)));
    await pool.clock.until(Promise.all(callers));
    const paths = acquires().map(({ path }) => path);
    expect([paths[0], paths.length]).toEqual(['free', 6]);
    expect(paths).toContain('local');
    const ends = log.on('hold:asyncEnd').map(({ fencingToken }) => fencingToken);
    expect(acquires().map(({ fencingToken }) => fencingToken)).toEqual(ends);
  });

  it("tell the path 'nested' of a call that shares a lock, which is one lock", async () => {
    const inner = () => redlock.withLock('a', () => undefined, { reentrant: true });
    await pool.clock.until(redlock.withLock('a', inner));
    expect(acquires().map(({ path, attempts }) => [path, attempts])).toEqual([
      ['free', 1],
      ['nested', 0],
    ]);
    expect(log.on('hold:asyncEnd')).toHaveLength(1);
  });

  it('tell of a lock on several resources once, however many parts it was waited for in', async () => {
    pool.memory.forEach((node) => node.set('b', 'foreign', 500));
    const lock = await pool.clock.until(redlock.acquire(['a', 'b']));
    await pool.clock.until(lock.release());
    expect(log.channels).toEqual(['acquire:start', 'hold:start', 'acquire:asyncEnd', 'hold:asyncEnd']);
    expect(acquires()).toMatchObject([{ resources: ['a', 'b'], path: 'hand-off' }]);
  });

  describe('for a call that ends without the lock', () => {
    const held = (): void => pool.memory.forEach((node) => node.set('a', 'foreign'));

    const refused = () => events.filter(({ type }) => type === 'refused');

    it.each<[string, () => void, string, number]>([
      ['held', held, 'RESOURCE_LOCKED', 500],
      ['no_quorum', () => pool.nodes.forEach((node) => node.fail('down')), 'QUORUM_NOT_REACHED', 500],
      ['closed', () => void redlock.drain(0), 'CLOSED', 0],
    ])('have the outcome %s and the error, as the event has', async (outcome, prepare, code, waited) => {
      prepare();
      const error = await ask({ waitTimeout: 500 });
      expect(refused()).toEqual([{ type: 'refused', resources: ['a'], waited, code }]);
      expect(log.channels).toEqual(['acquire:start', 'acquire:error', 'acquire:asyncEnd']);
      expect(acquires()).toEqual([expect.objectContaining({ outcome, error, waited: expect.any(Number) })]);
      expect(log.on('acquire:error')[0]).toMatchObject({ outcome, error: { code } });
    });

    it('have the outcome aborted', async () => {
      held();
      const abort = new AbortController();
      pool.clock.schedule(300, () => abort.abort());
      await ask({ signal: abort.signal });
      expect(acquires()).toMatchObject([{ outcome: 'aborted', waited: 300 }]);
      expect(refused()).toEqual([{ type: 'refused', resources: ['a'], waited: 300, code: 'ABORTED' }]);
    });

    it('have the outcome skipped where its caller goes on without', async () => {
      held();
      const call = { resources: ['a'], work: () => undefined, options: { waitTimeout: 0 }, signal: undefined };
      await pool.clock.until(redlock.withPrepared({ ...call, skips: true }).catch(() => undefined));
      expect(acquires()).toMatchObject([{ outcome: 'skipped' }]);
    });
  });

  describe('for a lock that is lost', () => {
    it('have the error', async () => {
      const lock = await pool.clock.until(redlock.acquire('a', { ttl: 1_000 }));
      await pool.clock.advance(2_000);
      expect(log.channels.slice(-2)).toEqual(['hold:error', 'hold:asyncEnd']);
      const [hold] = log.on('hold:asyncEnd');
      expect(hold).toMatchObject({ end: 'lost', error: lock.signal.reason as Error });
      expect(hold!['held']).toBeCloseTo(988, -1);
    });

    it('say that the application has shut down', async () => {
      await ask({ autoExtend: true });
      await pool.clock.until(redlock.drain(100));
      expect(log.on('hold:asyncEnd')).toMatchObject([{ end: 'drained', error: { reason: 'shutdown' } }]);
    });
  });

  it('tell of an extension that failed', async () => {
    const lock = await pool.clock.until(redlock.acquire('a'));
    pool.nodes.forEach((node) => node.fail('broken'));
    await pool.clock.until(lock.extend().catch(() => undefined));
    expect(log.on('extend:asyncEnd')).toMatchObject([{ error: { code: 'QUORUM_NOT_REACHED' }, validity: undefined }]);
  });
});

describe('the plain channels', () => {
  let log: ChannelLog | undefined;
  afterEach(() => log?.end());

  it('tell what happens to nodes, with the pool', () => {
    log = new ChannelLog('node');
    publish({ type: 'node-up', node: 'n' }, 'billing');
    publish({ type: 'node-down', node: 'n', reason: 'gone' }, undefined);
    publish({ type: 'quorum-lost', votes: 1, nodes: 3, quorum: 2 }, undefined);
    expect(log.on('node')).toEqual([
      { pool: 'billing', type: 'node-up', node: 'n' },
      { pool: undefined, type: 'node-down', node: 'n', reason: 'gone' },
    ]);
  });

  it('tell of calls that took no lock of their own, by their template', () => {
    log = new ChannelLog('skipped', 'joined');
    const service = new RedlockService([new MemoryNode('n', new SystemClock(), TRUSTING)], {}, { name: 'billing' });
    service[EMIT]({ type: 'skipped', resources: ['a'], label: 'job' });
    service[EMIT]({ type: 'joined', resources: ['b'] });
    expect(log.entries).toEqual([
      { channel: 'skipped', message: { pool: 'billing', resources: ['a'], template: 'job' } },
      { channel: 'joined', message: { pool: 'billing', resources: ['b'], template: undefined } },
    ]);
  });

  it('tell of every answer of a node once, and of its silence', async () => {
    log = new ChannelLog('request');
    const pool = new MemoryPool();
    const { redlock } = pool.client();
    pool.nodes[1]!.faults = { acquire: 'silent' };
    pool.nodes[2]!.fail('broken');
    await pool.clock.until(redlock.acquire('a', { waitTimeout: 0 }).catch(() => undefined));
    await pool.clock.advance(1_000);
    const answers = log.on('request').map(({ node, error }) => `${String(node)} ${String(error)}`);
    expect(answers.filter((answer) => answer.startsWith('node-1'))).toContain('node-1 undefined');
    expect(answers).toContain('node-2 timeout');
    expect(answers).toContain('node-3 unknown');
    expect(log.on('request').find(({ error }) => error === 'timeout')!['duration']).toBe(50);
  });
});
