import { beforeEach, describe, expect, it } from '@jest/globals';
import { HOLDS } from '../../../../lib/redlock.tokens.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { runLocked, type LockedRun } from '../../../../lib/with-lock/run/run-locked.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { TellingService } from '../../../support/nest/telling-service.js';

describe('a call that joins others', () => {
  const plan = toPlan('a', { onContended: 'join' }, 'here');
  let service: TellingService;
  const run = (more: Partial<LockedRun> = {}): LockedRun => ({ service, plan, resources: () => ['a'], ...more });

  beforeEach(() => {
    service = new TellingService();
  });

  describe('in its own work', () => {
    it('does not wait for itself', async () => {
      const outer = runLocked(run(), () => runLocked(run(), () => 'inner'));
      await expect(outer).resolves.toBe('inner');
      expect(service.told).toEqual([]);
    }, 5_000);

    it('does not wait for one that waits for it', async () => {
      const second = toPlan('b', { onContended: 'join' }, 'there');
      const other = (work: () => unknown): Promise<unknown> =>
        runLocked(run({ plan: second, resources: () => ['b'] }), work);
      const both = new Deferred();
      const [one, two] = [new Deferred(), new Deferred()];
      const first = runLocked(run(), async () => {
        one.resolve();
        await both.promise;
        return other(() => 'b');
      });
      const last = other(async () => {
        two.resolve();
        await both.promise;
        return runLocked(run(), () => 'a');
      });
      await Promise.all([one.promise, two.promise]);
      both.resolve();
      await expect(Promise.all([first, last])).resolves.toEqual(['a', 'a']);
    }, 5_000);

    it('joins another run in code that outlives its own run', async () => {
      let later: Promise<unknown> | undefined;
      const [over, work] = [new Deferred(), new Deferred<string>()];
      await runLocked(run(), () => {
        later = over.promise.then(() => runLocked(run(), () => 'second'));
      });
      const third = runLocked(run(), () => work.promise);
      over.resolve();
      await new Promise(setImmediate);
      work.resolve('third');
      await expect(Promise.all([later, third])).resolves.toEqual(['third', 'third']);
    });
  });

  it('does not wait for a run that waits for what the caller holds', async () => {
    service.turn = new Deferred();
    const waiting = runLocked(run(), () => 'later');
    await service.untilWaiting(1);
    const holder = Object.assign(service, { [HOLDS]: (resources: readonly string[]) => resources.includes('a') });
    const { turn } = service;
    service.turn = undefined;
    await expect(runLocked(run({ service: holder }), () => 'nested')).resolves.toBe('nested');
    turn.resolve();
    await expect(waiting).resolves.toBe('later');
  }, 5_000);
});
