import { beforeEach, describe, expect, it } from '@jest/globals';
import { SuspensionWatch } from '../../../../lib/core/time/suspension-watch.js';
import { RawMachine } from '../../../support/raw-machine.js';

/** Ms by which a suspension may look longer. */
const ROUNDING = 20;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('SuspensionWatch of a process that stands still for 30 ms between two readings', () => {
  let machine: RawMachine;
  let watch: SuspensionWatch;
  beforeEach(() => {
    machine = new RawMachine();
    watch = new SuspensionWatch(machine);
  });

  /** Ms for which the machine seems to have been suspended so far. */
  const counted = (): number => {
    machine.stallAfterReading(0);
    return watch.now().monotonic - machine.monotonic();
  };

  it.each(range(1, 12))('counts no more where reading %d is the last before it, from the first one on', (reading) => {
    machine.stallAfterReading(30, reading);
    watch = new SuspensionWatch(machine);
    watch.now();
    machine.setWall(8_000);
    expect(counted()).toBeLessThanOrEqual(ROUNDING);
    machine.suspend(500);
    expect(counted()).toBeGreaterThanOrEqual(500);
    expect(counted()).toBeLessThanOrEqual(500 + ROUNDING);
  });

  it.each(range(1, 12))('counts no more where it is reading %d of a clock that was set', (reading) => {
    machine.setWall(8_000);
    machine.stallAfterReading(30, reading);
    watch.now();
    expect(counted()).toBeLessThanOrEqual(ROUNDING);
  });

  it.each(range(1, 12))('counts a suspension, and no more, where it is reading %d behind that', (reading) => {
    machine.suspend(500);
    machine.stallAfterReading(30, reading);
    watch.now();
    expect(counted()).toBeGreaterThanOrEqual(500);
    expect(counted()).toBeLessThanOrEqual(500 + ROUNDING);
  });
});
