import { beforeEach, describe, expect, it } from '@jest/globals';
import { SteadyClock } from '../../../../lib/core/time/steady-clock.js';
import { RawMachine } from '../../../support/raw-machine.js';

describe('SteadyClock', () => {
  let machine: RawMachine;
  let clock: SteadyClock;
  beforeEach(() => {
    machine = new RawMachine();
    clock = new SteadyClock(machine);
  });

  it('begins at the wall clock of the machine', () => {
    expect(clock.now()).toEqual({ monotonic: machine.monotonic(), wall: expect.closeTo(machine.wall(), 3) });
  });

  it.each([60_000, -60_000, 5, -5])('goes on as before where that is set by %d ms', (step) => {
    const before = clock.now();
    machine.setWall(step);
    machine.pass(100);
    const { monotonic, wall } = clock.now();
    expect(wall - before.wall).toBeCloseTo(monotonic - before.monotonic, 3);
    expect(wall - before.wall).toBeLessThan(150);
  });

  it('counts the time for which the machine was suspended', () => {
    const before = clock.now();
    machine.suspend(60_000);
    expect(clock.now().wall - before.wall).toBeGreaterThanOrEqual(60_000);
  });
});
