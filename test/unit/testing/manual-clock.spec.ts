import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

describe('ManualClock', () => {
  let clock: ManualClock;
  const done: string[] = [];
  const note = (what: string) => (): void => void done.push(`${what} at ${clock.now().monotonic}`);

  beforeEach(() => {
    clock = new ManualClock();
    done.length = 0;
  });

  it('stands still, on both clocks, until it is moved', async () => {
    const before = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.now()).toEqual(before);
    await clock.advance(250);
    expect(clock.now()).toEqual({ monotonic: 250, wall: before.wall + 250 });
  });

  it('begins at the present time, which fencing tokens are made of', () => {
    expect(Math.abs(clock.now().wall - Date.now())).toBeLessThan(60_000);
  });

  it('does what is due meanwhile in order, each at its own time, and nothing else', async () => {
    clock.schedule(20, note('second'));
    clock.schedule(10, note('first'));
    clock.schedule(31, note('late'));
    clock.schedule(15, note('taken back'))();
    await clock.advance(30);
    expect(done).toEqual(['first at 10', 'second at 20']);
    await clock.advance(1);
    expect(done.at(-1)).toBe('late at 31');
  });

  it('lets what was awaited run before time goes on, also what that sets for later', async () => {
    const begun = new Promise<void>((resolve) => void clock.schedule(10, resolve));
    const goOn = async (): Promise<void> => {
      await begun;
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
      clock.schedule(5, note('its own'));
    };
    void goOn();
    clock.schedule(100, note('other'));
    await clock.advance(100);
    expect(done).toEqual(['its own at 15', 'other at 100']);
  });

  it('lets input that has arrived come first', async () => {
    clock.schedule(10, () => clock.afterInput(note('after input')));
    clock.schedule(10, note('input'));
    await clock.advance(10);
    expect(done).toEqual(['input at 10', 'after input at 10']);
  });

  it('moves by as much as it is told where it is told twice at once', async () => {
    clock.schedule(15, note('due'));
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect([clock.now().monotonic, done]).toEqual([20, ['due at 15']]);
  });

  describe('once it runs on', () => {
    it('goes by itself, from where it was', async () => {
      await clock.advance(1_000);
      clock.runOn();
      clock.runOn();
      await new Promise<void>((resolve) => void clock.schedule(5, resolve));
      expect(clock.now().monotonic).toBeGreaterThanOrEqual(1_000 + 4);
      expect(clock.now().monotonic).toBeLessThan(1_000 + 60_000);
    });

    it('does what was set before, unless that is taken back', async () => {
      const takeBack = clock.schedule(1, note('taken back'));
      const due = new Promise<void>((resolve) => void clock.schedule(10, resolve));
      clock.runOn();
      takeBack();
      await due;
      expect(done).toEqual([]);
    });

    it('is not moved any more', async () => {
      clock.runOn();
      await clock.advance(3_600_000);
      expect(clock.now().monotonic).toBeLessThan(3_600_000);
    });
  });
});
