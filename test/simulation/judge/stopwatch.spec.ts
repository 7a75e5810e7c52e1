import { describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError, ResourceLockedError } from '../../../lib/core/api/errors.js';
import { Dice } from '../world/dice.js';
import { Machine } from '../world/machine.js';
import { Stopwatch } from './stopwatch.js';
import { World } from '../world/world.js';

const IN_VAIN = { why: 'locks are possible again in 4000 ms', retryAfter: 1_100 };
const LOCKED = new ResourceLockedError(['a'], 0, []);

function create(): { world: World; machine: Machine } {
  const world = new World(new Dice(1), () => undefined);
  return { world, machine: new Machine(world, { name: 'machine', rate: 1, ahead: 0 }) };
}

async function waited(ms: number, terms = {}): Promise<Stopwatch> {
  const { world, machine } = create();
  const watch = new Stopwatch(machine, { waitTimeout: 1_000, ...terms });
  await world.runUntil(ms);
  return watch;
}

describe('Stopwatch', () => {
  it('finds a caller that gave up too early', async () => {
    const watch = await waited(970);
    expect(() => watch.stop(LOCKED)).toThrow('waits last: machine gave up after 970 ms of 1000');
  });

  it('allows for each time that a clock was set meanwhile, and for no more', async () => {
    const { world, machine } = create();
    const watches = [1, 2].map(() => new Stopwatch(machine, { waitTimeout: 1_000 }));
    machine.stepWall(11);
    machine.stepWall(15);
    await world.runUntil(954);
    expect(() => watches[0]!.stop(LOCKED)).toThrow('waits last');
    await world.runUntil(956);
    expect(() => watches[1]!.stop(LOCKED)).not.toThrow();
  });

  it.each([
    ['has waited for as long as it wanted', 1_000, {}, LOCKED],
    ['got what it wanted', 1, {}, undefined],
    ['wanted no more of it', 1, {}, new Error('aborted')],
    ['is told at once that it cannot have it in time', 1, {}, new QuorumNotReachedError(['a'], [], IN_VAIN)],
    ['has tried as often as it wanted', 1, { retryCount: 1 }, LOCKED],
  ])('is content where the caller %s', async (_what, ms, terms, error) => {
    const watch = await waited(ms, terms);
    expect(() => watch.stop(error)).not.toThrow();
  });

  it('finds a caller that was not told when the time was up', async () => {
    const watch = await waited(1_400);
    expect(() => watch.stop()).toThrow('waits end: machine waited 400 ms longer than for 1000');
  });

  it('does not count the time for which the machine stood still', async () => {
    const { world, machine } = create();
    const watch = new Stopwatch(machine, { waitTimeout: 100 });
    machine.pause(false);
    world.in(500, () => machine.resume());
    await world.runUntil(600);
    expect(() => watch.stop()).not.toThrow();
  });

  it('looks once', async () => {
    const watch = await waited(1_000);
    watch.stop();
    expect(() => watch.stop(LOCKED)).not.toThrow();
  });
});
