import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConflictException } from '@nestjs/common';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  ResourceLockedError,
} from '../../../../lib/engine/errors.js';
import type { LockEvent } from '../../../../lib/engine/events.js';
import { EMIT } from '../../../../lib/redlock.tokens.js';
import type { WithLockOptions } from '../../../../lib/with-lock/run/lock-plan.js';
import { runLocked, skipped, type LockedRun } from '../../../../lib/with-lock/run/run-locked.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubLock } from '../../../support/nest/stub-lock.js';
import { StubService } from '../../../support/nest/stub-service.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);
const REPLY = new Error('as the client is told');
const toException = (): unknown => REPLY;

describe('runLocked', () => {
  let service: StubService;
  const run = (options?: WithLockOptions, more?: Partial<LockedRun>): LockedRun => runOn(service, options, more);
  const fail = (error: unknown) => () => {
    throw error;
  };

  beforeEach(() => {
    service = new StubService();
  });

  it('runs the work under the lock and hands on its result', async () => {
    const result = await runLocked(run({ ttl: 700 }), (mine) => [mine, service.held]);
    expect(result).toEqual([service.locks[0], 1]);
    expect(service.calls).toEqual([{ resources: ['a'], options: { ttl: 700, label: 'a' } }]);
    expect(service.held).toBe(0);
  });

  it('hands on undefined that the work returns', async () => {
    await expect(runLocked(run(), () => undefined)).resolves.toBeUndefined();
  });

  it('does not run the work where the lock is over when it comes, and tells of the loss', async () => {
    const over = new StubLock(['a']);
    const lost = over.lose();
    const late = { withLock: async (_names: unknown, work: (lock: StubLock) => unknown) => work(over) };
    let ran = false;
    const work = (): void => void (ran = true);
    await expect(runLocked({ ...run(), service: late as LockedRun['service'] }, work)).rejects.toBe(lost);
    await expect(runLocked({ ...run({}, { toException }), service: late as LockedRun['service'] }, work)).rejects.toBe(
      REPLY,
    );
    expect(ran).toBe(false);
  });

  describe('where the lock cannot be had', () => {
    it.each([
      ['held', LOCKED],
      ['no quorum', new QuorumNotReachedError(['a'], [], 'down')],
      ['closed', new RedlockClosedError()],
      ['aborted', new Error('gone away')],
    ])('does not run the work, and hands on the error: %s', async (_case, error) => {
      service.refusal = error;
      let ran = false;
      await expect(runLocked(run(), () => void (ran = true))).rejects.toBe(error);
      await expect(runLocked(run({}, { toException }), () => void (ran = true))).rejects.toBe(REPLY);
      expect(ran).toBe(false);
    });

    it('maps the error of a key that cannot be made, and asks for no lock', async () => {
      const resources = fail(new LockKeyError('missing'));
      await expect(runLocked(run({}, { resources }), () => 1)).rejects.toBeInstanceOf(LockKeyError);
      await expect(runLocked(run({}, { resources, toException }), () => 1)).rejects.toBe(REPLY);
      expect(service.calls).toEqual([]);
    });
  });

  describe('where the work fails', () => {
    it.each([
      ['an error', new Error('business')],
      ['an exception for the client', new ConflictException('mine')],
      ['a text', 'text'],
      ['nothing', undefined],
      ['an inner lock that is held', LOCKED],
      ['an inner lock without a quorum', new QuorumNotReachedError(['b'], [], 'down')],
      ['an inner key', new LockKeyError('missing')],
      ['an inner lock that was lost', new LockLostError(['b'], 'nodes', 'gone')],
    ])('hands on the very same error, thrown or rejected: %s', async (_case, error) => {
      const received = (work: () => unknown): Promise<unknown> =>
        runLocked(run({ onContended: 'skip' }, { toException }), work).then(
          fail('it was swallowed'),
          (reason: unknown) => reason,
        );
      expect(await received(fail(error))).toBe(error);
      expect(await received(() => Promise.reject(error))).toBe(error);
      expect(service.held).toBe(0);
    });
  });

  it('never counts as skipped once the work has run', async () => {
    service.withLock = async (_resources, work) => {
      await work(new StubLock([]));
      throw LOCKED;
    };
    await expect(runLocked(run({ onContended: 'skip' }), () => 1)).rejects.toBe(LOCKED);
  });

  it('maps the loss of the lock that the work did not notice', async () => {
    const lost = new LockLostError(['a'], 'nodes', 'gone');
    service.withLock = async (_resources, work) => {
      await work(new StubLock([]));
      throw lost;
    };
    await expect(runLocked(run({ onContended: 'skip' }, { toException }), () => 1)).rejects.toBe(REPLY);
  });

  describe('with onContended: skip', () => {
    it('says so, and does not run the work, when another caller holds the lock', async () => {
      service.refusal = LOCKED;
      let ran = false;
      await expect(runLocked(run({ onContended: 'skip' }, { toException }), () => (ran = true))).resolves.toBe(skipped);
      expect(ran).toBe(false);
    });

    it('tells its service so, where that wants to know, and only then', async () => {
      const told: unknown[] = [];
      const listening = Object.assign(service, { [EMIT]: (event: LockEvent) => void told.push(event) });
      await runLocked(run({ onContended: 'skip' }, { service: listening }), () => 1);
      service.refusal = new RedlockClosedError();
      await expect(runLocked(run({ onContended: 'skip' }, { service: listening }), () => 1)).rejects.toThrow();
      expect(told).toEqual([]);
      service.refusal = LOCKED;
      const resources = (): string[] => ['a', 'b'];
      await runLocked(run({ onContended: 'skip' }, { service: listening, resources }), () => 1);
      await expect(runLocked(run({ onContended: 'reject' }, { service: listening }), () => 1)).rejects.toBe(LOCKED);
      expect(told).toEqual([{ type: 'skipped', resources: ['a', 'b'], label: 'a' }]);
    });

    it('knows a held lock by its code, also from another copy of the package', async () => {
      service.refusal = Object.assign(new Error('held'), { code: 'RESOURCE_LOCKED' });
      await expect(runLocked(run({ onContended: 'skip' }), () => 1)).resolves.toBe(skipped);
    });

    it.each([new QuorumNotReachedError(['a'], [], 'down'), new RedlockClosedError(), new LockKeyError('missing')])(
      'hands on everything else: %s',
      async (error) => {
        service.refusal = error;
        await expect(runLocked(run({ onContended: 'skip' }), () => 1)).rejects.toBe(error);
      },
    );
  });

  describe('signals', () => {
    it('are that of the plan, or none', async () => {
      const { signal } = new AbortController();
      await runLocked(run({ signal }), () => 1);
      await runLocked(run({}), () => 1);
      expect(service.calls.map(({ options }) => options.signal)).toEqual([signal, undefined]);
      expect(service.calls[0]!.options.signal).toBe(signal);
    });

    it.each([
      ['of the plan alone', [0]],
      ['of the call alone', [1]],
      ['of both', [0, 1]],
    ])('end the wait: %s', async (_case, given) => {
      for (const index of given) {
        const aborts = [new AbortController(), new AbortController()];
        const [plan, call] = aborts.map(({ signal }, at) => (given.includes(at) ? signal : undefined));
        service.turn = new Deferred();
        const end = runLocked(run(plan ? { signal: plan } : {}, { signal: call }), () => 1);
        await service.untilWaiting(1);
        aborts[index]!.abort(new Error(`reason ${index}`));
        await expect(end).rejects.toThrow(`reason ${index}`);
      }
    });

    it('that aborted before the call count as well', async () => {
      const gone = AbortSignal.abort('gone');
      await runLocked(run({ signal: new AbortController().signal }, { signal: gone }), () => 1);
      expect(service.calls[0]!.options.signal?.reason).toBe('gone');
    });
  });
});
