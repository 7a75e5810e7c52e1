import { createHook } from 'node:async_hooks';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ChannelLog } from '../../support/channel-log.js';
import { MemoryPool } from '../../support/memory-pool.js';

interface Cost {
  readonly promises: number;
  readonly readings: number;
}

/** Takes, extends and releases a lock, and returns how many promises were made, and how often a clock was read. */
async function costOnce(isUnobserved: boolean): Promise<Cost> {
  const pool = new MemoryPool();
  const { redlock } = pool.client({ isUnobserved });
  await pool.clock.until(redlock.open());
  let [promises, readings] = [0, 0];
  const { now } = pool.clock;
  pool.clock.now = () => {
    readings += 1;
    return now.call(pool.clock);
  };
  const hook = createHook({ init: (_id, type) => void (promises += Number(type === 'PROMISE')) });
  hook.enable();
  const lock = await pool.clock.until(redlock.acquire('a'));
  await pool.clock.until(lock.extend());
  await pool.clock.until(lock.release());
  hook.disable();
  return { promises, readings };
}

const ANY: Cost = { promises: Infinity, readings: Infinity };
const FEWEST_RUNS = 8;
const MOST_RUNS = 200;

/**
 * The least cost of several runs, because a process that is busy needs more turns of the event loop, which cost promises and readings. Where it is to
 * come `downTo` another cost, a process that stays busy for a while gets many more runs.
 */
async function cost(isUnobserved = false, downTo = ANY): Promise<Cost> {
  let least = ANY;
  for (let runs = 0; runs < FEWEST_RUNS || (runs < MOST_RUNS && isMore(least, downTo)); runs += 1) {
    const { promises, readings } = await costOnce(isUnobserved);
    least = { promises: Math.min(least.promises, promises), readings: Math.min(least.readings, readings) };
  }
  return least;
}

function isMore(one: Cost, other: Cost): boolean {
  return one.promises > other.promises || one.readings > other.readings;
}

describe('locks that nobody observes', () => {
  let log: ChannelLog | undefined;
  afterEach(() => log?.end());

  it('make no promise and read no clock for the channels', async () => {
    const usual = await cost();
    // Of a pool that no channel ever tells of.
    const least = await cost(true, usual);
    expect(await cost(false, least)).toEqual(least);
    log = new ChannelLog('acquire:start', 'hold:start', 'extend:start', 'request');
    const observed = await cost();
    expect(await cost(true, least)).toEqual(least);
    log.end();
    expect(await cost(false, least)).toEqual(least);
    expect(observed.promises).toBeGreaterThan(least.promises);
    expect(observed.readings).toBeGreaterThan(least.readings);
  });
});
