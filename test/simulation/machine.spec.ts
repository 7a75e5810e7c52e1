import { describe, expect, it } from '@jest/globals';
import { elapsed } from '../../lib/core/clock.js';
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

  it('has a monotonic clock that stands still while it is suspended', async () => {
    const { world, machine } = create();
    const before = machine.now();
    machine.pause(true);
    await world.runUntil(70);
    machine.resume();
    const after = machine.now();
    expect([after.monotonic - before.monotonic, after.wall - before.wall]).toEqual([0, 70]);
    expect(machine.isLate).toBe(true);
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
