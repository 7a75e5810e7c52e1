import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Patience, type PatienceTerms } from '../../../lib/core/patience.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('Patience', () => {
  let clock: VirtualClock;
  let caller: AbortController;
  let closing: AbortController;
  const patience = (terms: Partial<PatienceTerms> = {}) =>
    new Patience(clock, { waitTimeout: 1_000, retryCount: Infinity, signal: caller.signal, ...terms }, closing.signal);

  beforeEach(() => {
    clock = new VirtualClock();
    caller = new AbortController();
    closing = new AbortController();
  });

  it('lasts as long as waitTimeout', () => {
    const one = patience();
    clock.block(400);
    expect([one.waited, one.left(1)]).toEqual([400, 600]);
    clock.block(600);
    expect(one.left(2)).toBe(0);
  });

  it.each([
    [0, 1, 0],
    [1, 1, 1_000],
    [1, 2, 0],
    [Infinity, 1_000, 1_000],
  ])('with a retryCount of %d has after %i attempts %i ms left', (retryCount, attempts, left) => {
    expect(patience({ retryCount }).left(attempts)).toBe(left);
  });

  it('never ends by itself where both are without limit', () => {
    const one = patience({ waitTimeout: Infinity });
    clock.block(1e9);
    expect(one.left(1e6)).toBe(Infinity);
  });

  it('counts the time for which the machine was suspended', () => {
    const one = patience();
    clock.stepWall(5_000);
    expect(one.left(1)).toBe(-4_000);
  });

  it('pauses for as long as it is asked to', async () => {
    await clock.until(patience().pause(70));
    expect(clock.now().monotonic).toBe(70);
  });

  it.each(['caller', 'closing'] as const)(
    'ends a pause with the reason of the %s signal, and cleans up',
    async (who) => {
      const reason = new Error('enough');
      const pause = patience().pause(70);
      clock.schedule(10, () => (who === 'caller' ? caller : closing).abort(reason));
      await expect(clock.until(pause)).rejects.toBe(reason);
      expect(clock.now().monotonic).toBe(10);
      expect(clock.timers).toBe(0);
      expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
      expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
    },
  );

  it('leaves no listener behind after a pause', async () => {
    await clock.until(patience().pause(70));
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  });

  it('knows that it was aborted, and says so with the reason', () => {
    const one = patience();
    expect(one.aborted).toBe(false);
    one.throwIfAborted();
    caller.abort(new Error('enough'));
    expect(one.aborted).toBe(true);
    expect(() => one.throwIfAborted()).toThrow('enough');
  });

  it('does not pause at all when it was aborted before', async () => {
    const reason = new Error('enough');
    caller.abort(reason);
    await expect(clock.until(patience().pause(70))).rejects.toBe(reason);
    expect(clock.now().monotonic).toBe(0);
  });
});
