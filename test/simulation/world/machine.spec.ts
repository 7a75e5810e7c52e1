import { describe, expect, it } from '@jest/globals';
import { elapsed } from '../../../lib/core/time/clock.js';
import { Dice } from './dice.js';
import { Machine } from './machine.js';
import { World } from './world.js';

const nothing = (): void => undefined;

function create(rate = 1): { world: World; machine: Machine } {
  const world = new World(new Dice(1), nothing);
  return { world, machine: new Machine(world, { name: 'machine', rate, ahead: 0 }) };
}

describe('Machine', () => {
  it('has clocks that run as fast as it was told', async () => {
    const { world, machine } = create(1.5);
    const before = machine.now();
    await world.runUntil(100);
    expect(elapsed(before, machine.now())).toBeCloseTo(150);
  });

  it('does nothing while it stands still: then timers first, what arrived next, what waits for it last', async () => {
    const { world, machine } = create();
    const done: string[] = [];
    machine.pause(false);
    world.in(1, () => machine.take(() => done.push('input')));
    machine.schedule(2, () => {
      machine.afterInput(() => done.push('after input'));
      done.push('timer');
    });
    await world.runUntil(50);
    expect(done).toEqual([]);
    machine.resume();
    await world.runUntil(51);
    expect(done).toEqual(['timer', 'input', 'after input']);
  });

  it('has timers that stand still while it is suspended, and a clock that finds that out', async () => {
    const { world, machine } = create();
    const before = machine.now();
    const done: string[] = [];
    machine.schedule(50, () => done.push('timer'));
    machine.pause(true);
    await world.runUntil(70);
    machine.resume();
    const passed = elapsed(before, machine.now());
    expect([passed >= 70, passed <= 90, machine.isLate]).toEqual([true, true, true]);
    await world.runUntil(119);
    expect(done).toEqual([]);
    await world.runUntil(120);
    expect(done).toEqual(['timer']);
  });

  it('has a wall clock that may be set forward and back, which makes no difference to the time that has passed', async () => {
    const { world, machine } = create();
    const before = machine.now();
    for (const step of [60, -100, 40]) {
      machine.stepWall(step);
      await world.runUntil(world.now + 10);
      machine.now();
    }
    const after = machine.now();
    expect(after.wall - before.wall).toBeCloseTo(30);
    const passed = elapsed(before, after);
    expect([passed >= 30, passed <= 50]).toEqual([true, true]);
  });

  it('has noticed that it was suspended before its wall clock is set back by as much', async () => {
    const { world, machine } = create();
    const before = machine.now();
    machine.pause(true);
    await world.runUntil(15);
    machine.resume();
    machine.stepWall(-15);
    const passed = elapsed(before, machine.now());
    expect([passed >= 15, passed <= 40]).toEqual([true, true]);
  });

  it('computes within a turn, at the end of which the world comes to where its clocks are', async () => {
    const { world, machine } = create(2);
    const done: string[] = [];
    const told = (what: string): void => void done.push(`${what} at ${world.now}, ${machine.now().monotonic}`);
    world.in(1, () =>
      machine.take(() => {
        machine.compute(30);
        told('computed');
        machine.whenThere(() => told('there'));
        machine.schedule(4, () => told('timer'));
      }),
    );
    world.in(2, () => machine.take(() => told('input')));
    world.in(3, () => told('world'));
    world.in(4, () => {
      machine.pause(false);
      machine.resume();
    });
    await world.runUntil(50);
    expect(done).toEqual([
      'computed at 1, 62',
      'world at 3, 6',
      'there at 31, 62',
      'input at 31, 62',
      'timer at 33, 66',
    ]);
    expect([machine.stoodStill, machine.free]).toEqual([{ time: 60, suspensions: 0, settings: 0 }, 50]);
  });

  it('does not reach the end of its computation when it dies before that', async () => {
    const { world, machine } = create();
    const done: string[] = [];
    machine.compute(30);
    machine.whenThere(() => done.push('there'));
    machine.die();
    await world.runUntil(50);
    expect(done).toEqual([]);
  });

  it('has a wall clock that may go far astray, and is put right again', async () => {
    const { world, machine } = create();
    const before = machine.now();
    machine.setWall((clock) => clock.stray(-3_000));
    await world.runUntil(10);
    const astray = machine.now();
    machine.setWall((clock) => clock.stray(0));
    await world.runUntil(20);
    const after = machine.now();
    expect([astray.wall - before.wall, after.wall - before.wall]).toEqual([-2_990, 20]);
    const passed = elapsed(before, after);
    expect([passed >= 20, passed <= 40]).toEqual([true, true]);
  });

  it('knows for how long it stood still, and how often it was suspended', async () => {
    const { world, machine } = create();
    machine.pause(true);
    world.in(70, () => machine.resume());
    await world.runUntil(100);
    expect(machine.stoodStill).toEqual({ time: 70, suspensions: 1, settings: 0 });
  });

  it('counts the timers that are set', async () => {
    const { world, machine } = create();
    const stop = machine.schedule(5, nothing);
    machine.schedule(6, nothing);
    expect(machine.timers).toBe(2);
    stop();
    stop();
    expect(machine.timers).toBe(1);
    await world.runUntil(10);
    expect(machine.timers).toBe(0);
  });

  it('runs nothing once it is dead', async () => {
    const { world, machine } = create();
    const done: string[] = [];
    machine.schedule(1, () => done.push('timer'));
    machine.die();
    machine.take(() => done.push('input'));
    await world.runUntil(5);
    expect(done).toEqual([]);
  });
});
