import { beforeEach, describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LockKeyError, ResourceLockedError } from '../../../../lib/engine/errors.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { runLocked, type LockedRun } from '../../../../lib/with-lock/run/run-locked.js';
import { eventually } from '../../../support/eventually.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { TellingService } from '../../../support/nest/telling-service.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);
const never = (): never => {
  throw new Error('it ran a second time');
};

describe('runLocked with onContended: join', () => {
  const plan = toPlan('a', { onContended: 'join', ttl: 700 }, 'here');
  let service: TellingService;
  const run = (more: Partial<LockedRun> = {}): LockedRun => ({ service, plan, resources: () => ['a'], ...more });
  /** A caller that may go away. */
  const caller = (): { leave: () => void; signal: AbortSignal } => {
    const abort = new AbortController();
    return { leave: () => abort.abort(new Error('gone')), signal: abort.signal };
  };

  beforeEach(() => {
    service = new TellingService();
  });

  it('shares one value by reference among all callers that come while it waits or runs', async () => {
    service.turn = new Deferred();
    const work = new Deferred<object>();
    const first = runLocked(run(), () => work.promise);
    const waiting = runLocked(run(), never);
    service.turn.resolve();
    await service.untilHeld(1);
    const running = runLocked(run(), never);
    const value = {};
    work.resolve(value);
    for (const outcome of await Promise.all([first, waiting, running])) expect(outcome).toBe(value);
    expect(service.calls).toEqual([
      { resources: ['a'], options: { ttl: 700, label: 'a', signal: expect.any(AbortSignal) } },
    ]);
    expect(service.told).toEqual(Array(2).fill({ type: 'joined', resources: ['a'], label: 'a' }));
  });

  it('keeps no value of a call for what its work leaves behind', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const timers: NodeJS.Timeout[] = [];
    const values: WeakRef<object>[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      const work = (): object => {
        timers.push(setInterval(() => undefined, 60_000).unref());
        return { name };
      };
      values.push(new WeakRef((await runLocked(run({ resources: () => [name] }), work)) as object));
    }
    await eventually(() => {
      collect();
      // Of one or the other a reference lies about still, in a register or with a coverage tool.
      expect(values.filter((value) => value.deref() !== undefined).length).toBeLessThan(3);
    }, 2_000);
    timers.forEach((timer) => clearInterval(timer));
  });

  it('shares the very error, too', async () => {
    const error = new Error('business');
    const outcomes = [runLocked(run(), () => Promise.reject(error)), runLocked(run(), never)];
    for (const outcome of outcomes) await expect(outcome).rejects.toBe(error);
  });

  it('begins again for a caller that comes after the end, also when the first one failed', async () => {
    await expect(runLocked(run(), () => 1)).resolves.toBe(1);
    await expect(runLocked(run(), () => Promise.reject(new Error('business')))).rejects.toThrow('business');
    await expect(runLocked(run(), () => 2)).resolves.toBe(2);
    expect([service.calls.length, service.told]).toEqual([3, []]);
  });

  it.each<[string, () => Partial<LockedRun>]>([
    ['another key', () => ({ resources: () => ['b'] })],
    ['more keys', () => ({ resources: () => ['a', 'b'] })],
    ['another pool', () => ({ service: new StubService() })],
    ['another class', () => ({ owner: StubService })],
    ['a call that wants a stream', () => ({ isStream: true })],
    ['another method', () => ({ plan: toPlan('a', { onContended: 'join' }, 'there') })],
    ['a method that waits', () => ({ plan: toPlan('a', {}, 'there') })],
  ])('shares nothing with %s', async (_case, other) => {
    const work = new Deferred<number>();
    const first = runLocked(run(), () => work.promise);
    await expect(runLocked(run(other()), () => 2)).resolves.toBe(2);
    work.resolve(1);
    await expect(first).resolves.toBe(1);
    expect(service.told).toEqual([]);
  });

  it('lets each class that shares a method join its own', async () => {
    const work = [new Deferred<number>(), new Deferred<number>()];
    const owners = [StubService, Deferred];
    const calls = [0, 1, 0, 1].map((index) => runLocked(run({ owner: owners[index] }), () => work[index]!.promise));
    work.forEach((each, index) => each.resolve(index));
    await expect(Promise.all(calls)).resolves.toEqual([0, 1, 0, 1]);
    expect(service.calls).toHaveLength(2);
  });

  it('tells each caller in its own way that the lock could not be had', async () => {
    service.refusal = LOCKED;
    const replies = ['one', 'other'].map((name) => new Error(name));
    const calls = replies.map((reply) =>
      runLocked(run({ toException: (error) => (error === LOCKED ? reply : never()) }), never),
    );
    const plain = runLocked(run(), never);
    for (const [index, call] of calls.entries()) await expect(call).rejects.toBe(replies[index]);
    await expect(plain).rejects.toBe(LOCKED);
    expect(service.calls).toHaveLength(1);
  });

  it('does not take an error of the work for one of the lock, whichever caller gets it', async () => {
    const toException = (): Error => new Error('mapped');
    const calls = [
      runLocked(run({ toException }), () => Promise.reject(LOCKED)),
      runLocked(run({ toException }), never),
    ];
    for (const call of calls) await expect(call).rejects.toBe(LOCKED);
  });

  it('joins nothing without a usable key', async () => {
    const reply = new Error('for the client');
    const resources = (): never => {
      throw new LockKeyError('missing');
    };
    await expect(runLocked(run({ resources }), never)).rejects.toBeInstanceOf(LockKeyError);
    await expect(runLocked(run({ resources, toException: () => reply }), never)).rejects.toBe(reply);
    expect(service.calls).toEqual([]);
  });

  describe('where a caller goes away', () => {
    it.each([0, 1])('while they wait, goes on for the rest: caller %i', async (who) => {
      service.turn = new Deferred();
      const callers = [caller(), caller()];
      const calls = callers.map(({ signal }) => runLocked(run({ signal }), () => 'done'));
      const left = expect(calls[who]).rejects.toThrow('gone');
      callers[who]!.leave();
      await left;
      await service.untilWaiting(1);
      service.turn.resolve();
      await expect(calls[1 - who]).resolves.toBe('done');
    });

    it('as the last of the waiting callers, gives up the lock; a caller that comes then begins again', async () => {
      service.turn = new Deferred();
      const callers = [caller(), caller()];
      const calls = callers.map(({ signal }) => runLocked(run({ signal }), never));
      const ends = calls.map((call) => expect(call).rejects.toThrow('gone'));
      for (const { leave } of callers) leave();
      const next = runLocked(run(), () => 'done');
      await Promise.all(ends);
      await service.untilWaiting(1);
      service.turn.resolve();
      await expect(next).resolves.toBe('done');
      expect(service.calls).toHaveLength(2);
    });

    it('before it has come, asks for nothing', async () => {
      const { signal, leave } = caller();
      leave();
      service.turn = new Deferred();
      await expect(runLocked(run({ signal }), never)).rejects.toThrow('gone');
    });

    it('while the work runs, changes nothing: it can still be joined', async () => {
      const work = new Deferred<string>();
      const { signal, leave } = caller();
      const first = runLocked(run({ signal }), () => work.promise);
      await service.untilHeld(1);
      leave();
      const second = runLocked(run(), never);
      work.resolve('done');
      await expect(Promise.all([first, second])).resolves.toEqual(['done', 'done']);
    });
  });
});
