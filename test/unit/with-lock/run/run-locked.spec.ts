import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConflictException } from '@nestjs/common';
import {
  LockKeyError,
  LockLostError,
  QuorumNotReachedError,
  RedlockClosedError,
  ResourceLockedError,
} from '../../../../lib/core/api/errors.js';
import type { LockEvent } from '../../../../lib/core/api/events.js';
import { EMIT } from '../../../../lib/redlock.tokens.js';
import { toPlan, type WithLockOptions } from '../../../../lib/with-lock/run/lock-plan.js';
import { runLocked, skipped } from '../../../../lib/with-lock/run/run-locked.js';
import type { LockedRun } from '../../../../lib/with-lock/run/locker.js';
import { StubLock } from '../../../support/nest/stub-lock.js';
import { StubLocker } from '../../../support/nest/stub-locker.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);
const REPLY = new Error('as the client is told');
const toReply = (): unknown => REPLY;

describe('runLocked', () => {
  let locker: StubLocker;
  const run = (options: WithLockOptions = {}, more: Partial<LockedRun> = {}): LockedRun => ({
    locker,
    plan: toPlan('a', options, 'here'),
    resources: () => ['a'],
    ...more,
  });
  const fail = (error: unknown) => () => {
    throw error;
  };

  beforeEach(() => {
    locker = new StubLocker();
  });

  it('runs the work under the lock and hands on its result', async () => {
    const result = await runLocked(run({ ttl: 700 }), (mine) => [mine, locker.held]);
    expect(result).toEqual([locker.locks[0], 1]);
    expect(locker.calls).toEqual([{ resources: ['a'], options: { ttl: 700 } }]);
    expect(locker.held).toBe(0);
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
    await expect(runLocked({ ...run(), locker: late as LockedRun['locker'] }, work)).rejects.toBe(lost);
    await expect(runLocked({ ...run({}, { toReply }), locker: late as LockedRun['locker'] }, work)).rejects.toBe(REPLY);
    expect(ran).toBe(false);
  });

  describe('where the lock cannot be had', () => {
    it.each([
      ['held', LOCKED],
      ['no quorum', new QuorumNotReachedError(['a'], [], 'down')],
      ['closed', new RedlockClosedError()],
      ['aborted', new Error('gone away')],
    ])('does not run the work, and hands on the error: %s', async (_case, error) => {
      locker.refusal = error;
      let ran = false;
      await expect(runLocked(run(), () => void (ran = true))).rejects.toBe(error);
      await expect(runLocked(run({}, { toReply }), () => void (ran = true))).rejects.toBe(REPLY);
      expect(ran).toBe(false);
    });

    it('maps the error of a key that cannot be made, and asks for no lock', async () => {
      const resources = fail(new LockKeyError('missing'));
      await expect(runLocked(run({}, { resources }), () => 1)).rejects.toBeInstanceOf(LockKeyError);
      await expect(runLocked(run({}, { resources, toReply }), () => 1)).rejects.toBe(REPLY);
      expect(locker.calls).toEqual([]);
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
      ['an inner lock that was lost', new LockLostError(['b'], 'gone')],
    ])('hands on the very same error, thrown or rejected: %s', async (_case, error) => {
      const received = (work: () => unknown): Promise<unknown> =>
        runLocked(run({ onContended: 'skip' }, { toReply }), work).then(
          fail('it was swallowed'),
          (reason: unknown) => reason,
        );
      expect(await received(fail(error))).toBe(error);
      expect(await received(() => Promise.reject(error))).toBe(error);
      expect(locker.held).toBe(0);
    });
  });

  it('never counts as skipped once the work has run', async () => {
    locker.withLock = async (_resources, work) => {
      await work(new StubLock([]));
      throw LOCKED;
    };
    await expect(runLocked(run({ onContended: 'skip' }), () => 1)).rejects.toBe(LOCKED);
  });

  it('maps the loss of the lock that the work did not notice', async () => {
    const lost = new LockLostError(['a'], 'gone');
    locker.withLock = async (_resources, work) => {
      await work(new StubLock([]));
      throw lost;
    };
    await expect(runLocked(run({ onContended: 'skip' }, { toReply }), () => 1)).rejects.toBe(REPLY);
  });

  describe('with onContended: skip', () => {
    it('says so, and does not run the work, where somebody else holds the lock', async () => {
      locker.refusal = LOCKED;
      let ran = false;
      await expect(runLocked(run({ onContended: 'skip' }, { toReply }), () => (ran = true))).resolves.toBe(skipped);
      expect(ran).toBe(false);
    });

    it('tells its locker so, where that wants to know, and only then', async () => {
      const told: unknown[] = [];
      const listening = Object.assign(locker, { [EMIT]: (event: LockEvent) => void told.push(event) });
      await runLocked(run({ onContended: 'skip' }, { locker: listening }), () => 1);
      locker.refusal = new RedlockClosedError();
      await expect(runLocked(run({ onContended: 'skip' }, { locker: listening }), () => 1)).rejects.toThrow();
      expect(told).toEqual([]);
      locker.refusal = LOCKED;
      const resources = (): string[] => ['a', 'b'];
      await runLocked(run({ onContended: 'skip' }, { locker: listening, resources }), () => 1);
      await expect(runLocked(run({ onContended: 'reject' }, { locker: listening }), () => 1)).rejects.toBe(LOCKED);
      expect(told).toEqual([{ type: 'skipped', resources: ['a', 'b'] }]);
    });

    it('knows a held lock by its code, also from another copy of the package', async () => {
      locker.refusal = Object.assign(new Error('held'), { code: 'RESOURCE_LOCKED' });
      await expect(runLocked(run({ onContended: 'skip' }), () => 1)).resolves.toBe(skipped);
    });

    it.each([new QuorumNotReachedError(['a'], [], 'down'), new RedlockClosedError(), new LockKeyError('missing')])(
      'hands on everything else: %s',
      async (error) => {
        locker.refusal = error;
        await expect(runLocked(run({ onContended: 'skip' }), () => 1)).rejects.toBe(error);
      },
    );
  });

  describe('signals', () => {
    const [own, client] = [new AbortController(), new AbortController()];
    const signalFor = async (options: WithLockOptions, signal?: AbortSignal): Promise<AbortSignal | undefined> => {
      await runLocked(run(options, { signal }), () => 1);
      return locker.calls[0]!.options.signal;
    };

    it('are those of the plan, of the call, or none', async () => {
      expect(await signalFor({ signal: own.signal })).toBe(own.signal);
      locker.calls.length = 0;
      expect(await signalFor({}, client.signal)).toBe(client.signal);
      locker.calls.length = 0;
      expect(await signalFor({})).toBeUndefined();
    });

    it('both end the wait where there are two', async () => {
      for (const abort of [new AbortController(), new AbortController()]) {
        locker.calls.length = 0;
        const signal = await signalFor({ signal: abort.signal }, client.signal);
        expect(signal?.aborted).toBe(false);
        abort.abort('reason');
        expect(signal?.reason).toBe('reason');
      }
      client.abort('gone');
      expect(await signalFor({ signal: own.signal }, client.signal)).toBeDefined();
      expect(locker.calls.at(-1)!.options.signal?.reason).toBe('gone');
    });
  });
});
