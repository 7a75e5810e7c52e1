import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { elapsed } from '../../../../lib/core/time/clock.js';
import { SuspensionWatch } from '../../../../lib/core/time/suspension-watch.js';
import { RawMachine } from '../../../support/raw-machine.js';

/** Ms by which a suspension may look longer. */
const ROUNDING = 20;

describe('SuspensionWatch', () => {
  let machine: RawMachine;
  let watch: SuspensionWatch;
  beforeEach(() => {
    machine = new RawMachine();
    watch = new SuspensionWatch(machine);
  });

  /** Ms that seem to have gone by while something happened to the machine. */
  const during = (happens: () => void): number => {
    const since = watch.now();
    happens();
    return elapsed(since, watch.now());
  };

  it('tells the time on both clocks', () => {
    machine.pass(1_000);
    expect(watch.now()).toEqual({ monotonic: machine.monotonic(), wall: machine.wall() });
  });

  it('lets time go by as it does on a machine to which nothing happens', () => {
    const since = watch.now();
    for (let round = 0; round < 5_000; round += 1) {
      machine.pass(1.37);
      watch.now();
    }
    expect(elapsed(since, watch.now())).toBeCloseTo(5_000 * 1.37, 3);
    expect(machine.uptimesRead).toBe(1);
  });

  it.each([8_000, 300, 60, 30, -60, -300, -8_000, 1e9, -1e9])(
    'does not count a wall clock that is set by %d ms',
    (step) => {
      machine.pass(5_000);
      const passed = during(() => {
        machine.setWall(step);
        machine.pass(100);
      });
      expect(passed).toBeGreaterThanOrEqual(100);
      expect(passed).toBeLessThanOrEqual(100 + ROUNDING);
    },
  );

  it('adds no more than the uptime may hide to a wall clock that is set by a few ms, whenever the uptime was read', () => {
    for (let phase = 0; phase < 100; phase += 1) {
      machine.pass(0.1);
      watch = new SuspensionWatch(machine);
      machine.pass(10.3);
      const passed = during(() => machine.setWall(19.5));
      expect(passed).toBeLessThanOrEqual(ROUNDING);
    }
  });

  it('does not count it either however often it is set, for as long as the process lives', () => {
    const passed = during(() => {
      for (let round = 0; round < 200; round += 1) {
        machine.pass(500);
        machine.setWall(round % 2 === 0 ? 40 : -30);
        watch.now();
      }
    });
    expect(passed).toBeLessThanOrEqual(200 * 500 + ROUNDING);
  });

  it.each([2, 3, 7, 19, 50, 300, 8_000, 3_600_000])('counts a suspension of %d ms', (length) => {
    machine.pass(5_003.3);
    const passed = during(() => {
      machine.suspend(length);
      machine.pass(1);
    });
    expect(passed).toBeGreaterThanOrEqual(length + 1);
    expect(passed).toBeLessThanOrEqual(length + 1 + ROUNDING);
  });

  it('counts every one of many suspensions, and adds nothing up', () => {
    const passed = during(() => {
      for (const length of [5, 700, 3, 12, 2_000, 40]) {
        machine.suspend(length);
        machine.pass(10);
        watch.now();
      }
    });
    expect(passed).toBeGreaterThanOrEqual(2_760 + 60);
    expect(passed).toBeLessThanOrEqual(2_760 + 60 + ROUNDING);
  });

  it('takes nothing from a suspension because an earlier one seemed longer than it was, whenever the uptime was read', () => {
    for (let phase = 0; phase < 100; phase += 1) {
      machine.pass(0.1);
      watch = new SuspensionWatch(machine);
      machine.suspend(103.3);
      watch.now();
      machine.pass(47.7);
      const passed = during(() => machine.suspend(172.9));
      expect(passed).toBeGreaterThanOrEqual(172.9);
      expect(passed).toBeLessThanOrEqual(172.9 + ROUNDING);
    }
  });

  it('tells every listener of each suspension once, when the time that it tells has it in already', () => {
    const [told, another]: [number[], jest.Mock] = [[], jest.fn()];
    for (const tell of [() => void told.push(watch.now().monotonic), another]) watch.whenResumed(tell);
    const since = watch.now().monotonic;
    for (const length of [500, 40]) {
      machine.setWall(-700);
      machine.suspend(length);
      watch.now();
    }
    machine.setWall(900);
    expect(watch.now().monotonic).toBe(told[1]);
    expect(told).toHaveLength(2);
    expect(another).toHaveBeenCalledTimes(2);
    expect(told[0]! - since).toBeGreaterThanOrEqual(500);
    expect(told[1]! - told[0]!).toBeGreaterThanOrEqual(40);
  });

  it.each([8_000, 1_000, -1_000, -1_970, -8_000])(
    'counts a suspension of 2 s alone where the wall clock is set by %d ms in the same moment',
    (step) => {
      const passed = during(() => {
        machine.suspend(2_000);
        machine.setWall(step);
      });
      expect(passed).toBeGreaterThanOrEqual(2_000);
      expect(passed).toBeLessThanOrEqual(2_000 + ROUNDING);
    },
  );

  it('counts a suspension that comes after the wall clock was set, and one that comes before', () => {
    const passed = during(() => {
      machine.setWall(8_000);
      watch.now();
      machine.suspend(3_000);
      watch.now();
      machine.setWall(-8_000);
    });
    expect(passed).toBeGreaterThanOrEqual(3_000);
    expect(passed).toBeLessThanOrEqual(3_000 + ROUNDING);
  });

  it('takes a wall clock that tells whole ms for what it is', () => {
    machine.wallResolution = 1;
    const passed = during(() => {
      for (let round = 0; round < 1_000; round += 1) {
        machine.pass(0.61);
        watch.now();
      }
    });
    expect(passed).toBeCloseTo(610, 3);
  });

  it('takes a process that stands still between two readings for what it is', () => {
    machine.stallAfterReading(30);
    expect(during(() => machine.pass(100))).toBeLessThan(100 + 31);
    expect(machine.uptimesRead).toBe(1);
  });

  it('never goes back', () => {
    let latest = watch.now().monotonic;
    for (const step of [20, -400, 3_000, -3_000, 10]) {
      machine.setWall(step);
      machine.pass(1);
      const { monotonic } = watch.now();
      expect(monotonic).toBeGreaterThan(latest);
      latest = monotonic;
    }
  });

  describe('where the machine does not tell its uptime', () => {
    beforeEach(() => {
      machine.tellsUptime = false;
      watch = new SuspensionWatch(machine);
    });

    it.each([30, 8_000])('counts a wall clock that goes forward by %d ms as a suspension, which is safe', (ms) => {
      expect(during(() => machine.suspend(ms))).toBeCloseTo(ms, 3);
      expect(during(() => machine.setWall(ms))).toBeCloseTo(ms, 3);
    });

    it('does not count one that is set back', () => {
      expect(during(() => machine.setWall(-8_000))).toBeCloseTo(0, 3);
    });
  });
});
