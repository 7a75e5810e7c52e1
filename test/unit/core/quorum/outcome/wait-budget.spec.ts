import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue } from '../../../../../lib/core/time/timer-queue.js';
import { WaitBudget, type WaitTerms } from '../../../../../lib/core/quorum/outcome/wait-budget.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../../../lib/core/api/options.js';
import { AbortSource } from '../../../../../lib/core/time/abort.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

/** Knows how many listen to it. */
class WatchedStop extends AbortSource {
  readonly listeners = new Set<() => void>();

  override listen(tell: (reason: Error) => void): () => void {
    const ignore = super.listen(tell);
    this.listeners.add(ignore);
    return () => {
      this.listeners.delete(ignore);
      ignore();
    };
  }
}

describe('WaitBudget', () => {
  let clock: VirtualClock;
  let timerQueue: TimerQueue;
  let caller: AbortController;
  let closing: WatchedStop;
  const budget = (terms: Partial<WaitTerms> = {}) =>
    new WaitBudget(
      { clock, timerQueue, quorumMissingSince: undefined },
      { ...DEFAULT_LOCK_OPTIONS, waitTimeout: 1_000, retryJitter: 0, signal: caller.signal, ...terms },
      closing,
    );
  const listeners = () => getEventListeners(caller.signal, 'abort').length + closing.listeners.size;
  const end = (who: 'caller' | 'closing', reason: Error) =>
    who === 'caller' ? caller.abort(reason) : closing.stop(reason);

  beforeEach(() => {
    clock = new VirtualClock();
    timerQueue = new TimerQueue(clock);
    caller = new AbortController();
    closing = new WatchedStop();
  });

  it('lasts as long as waitTimeout', () => {
    const one = budget();
    clock.block(400);
    expect([one.waited, one.remaining(1)]).toEqual([400, 600]);
    clock.block(600);
    expect(one.remaining(2)).toBe(0);
  });

  it.each([
    [0, 1, 0],
    [1, 1, 1_000],
    [1, 2, 0],
    [Infinity, 1_000, 1_000],
  ])('with a retryCount of %d has after %i attempts %i ms left', (retryCount, attempts, left) => {
    expect(budget({ retryCount }).remaining(attempts)).toBe(left);
  });

  it('never ends by itself where both are without limit', () => {
    const one = budget({ waitTimeout: Infinity });
    clock.block(1e9);
    expect(one.remaining(1e6)).toBe(Infinity);
  });

  it('counts the time for which the machine was suspended', () => {
    const one = budget();
    clock.suspend(5_000);
    expect(one.remaining(1)).toBe(-4_000);
  });

  it('pauses for as long as it is asked to', async () => {
    await clock.until(budget().pause(70));
    expect(clock.now().monotonic).toBe(70);
  });

  it.each(['caller', 'closing'] as const)(
    'ends a pause with the reason of the %s signal, and cleans up',
    async (who) => {
      const reason = new Error('enough');
      const pause = budget().pause(70);
      expect(listeners()).toBe(2);
      clock.schedule(10, () => end(who, reason));
      await expect(clock.until(pause)).rejects.toBe(reason);
      expect(clock.now().monotonic).toBe(10);
      expect(clock.timers).toBe(0);
      expect(listeners()).toBe(0);
    },
  );

  it('leaves no listener behind after a pause', async () => {
    await clock.until(budget().pause(70));
    expect(listeners()).toBe(0);
  });

  it('ends a pause early when it is woken, and cleans up', async () => {
    const pause = budget().pause(70, (wake) => clock.schedule(10, wake));
    await clock.until(pause);
    expect(clock.now().monotonic).toBe(10);
    expect([clock.timers, listeners()]).toEqual([0, 0]);
  });

  it('allows being woken when the pause is over', async () => {
    const wakers: (() => void)[] = [];
    await clock.until(budget().pause(70, (wake) => wakers.push(wake)));
    wakers[0]!();
    expect([clock.timers, listeners()]).toEqual([0, 0]);
  });

  it.each(['caller', 'closing'] as const)('knows that it was aborted by the %s, and says so with the reason', (who) => {
    const one = budget();
    expect(one.aborted).toBe(false);
    one.throwIfAborted();
    end(who, new Error('enough'));
    expect(one.aborted).toBe(true);
    expect(() => one.throwIfAborted()).toThrow('enough');
  });

  it.each(['caller', 'closing'] as const)('does not pause at all when it was aborted before by the %s', async (who) => {
    const reason = new Error('enough');
    end(who, reason);
    await expect(clock.until(budget().pause(70))).rejects.toBe(reason);
    expect(clock.now().monotonic).toBe(0);
  });

  it.each([
    [{ waitTimeout: 1_000, retryCount: Infinity }, 900],
    [{ waitTimeout: 1_000, retryCount: 3 }, 500],
    [{ waitTimeout: 1_000, retryCount: 50 }, 900],
    [{ waitTimeout: Infinity, retryCount: 3 }, 500],
    [{ waitTimeout: Infinity, retryCount: Infinity }, Infinity],
  ])('%j, after 100 ms has %d ms left behind others: no more than its own tries would take', (terms, left) => {
    const one = budget(terms);
    clock.block(100);
    expect(one.remainingInQueue(clock.now())).toBe(left);
  });

  describe('watch', () => {
    const told: unknown[] = [];
    const watcher = { timeout: () => void told.push('timeout'), abort: (reason: Error) => void told.push(reason) };
    beforeEach(() => void (told.length = 0));

    it('tells when the time is up, and nothing after that', async () => {
      budget().watch(70, watcher);
      await clock.advance(69);
      expect(told).toEqual([]);
      await clock.advance(1);
      end('caller', new Error('too late'));
      end('closing', new Error('too late'));
      expect(told).toEqual(['timeout']);
      expect([clock.timers, listeners()]).toEqual([0, 0]);
    });

    it.each(['caller', 'closing'] as const)('tells at once why the %s ends it, and nothing after that', async (who) => {
      const reason = new Error('enough');
      budget().watch(70, watcher);
      end(who, reason);
      expect(told).toEqual([reason]);
      end(who === 'caller' ? 'closing' : 'caller', new Error('too late'));
      await clock.advance(100);
      expect(told).toEqual([reason]);
      expect([clock.timers, listeners()]).toEqual([0, 0]);
    });

    it('tells nothing once it was ended', async () => {
      budget().watch(70, watcher)();
      end('caller', new Error('too late'));
      end('closing', new Error('too late'));
      await clock.advance(100);
      expect(told).toEqual([]);
      expect([clock.timers, listeners()]).toEqual([0, 0]);
    });

    it('needs no timer where it never ends by itself', () => {
      budget().watch(Infinity, watcher);
      expect(clock.timers).toBe(0);
      end('caller', new Error('enough'));
      expect(told).toHaveLength(1);
    });

    it('does without a signal of the caller', () => {
      budget({ signal: undefined }).watch(70, watcher);
      end('closing', new Error('enough'));
      expect(told).toHaveLength(1);
    });
  });
});
