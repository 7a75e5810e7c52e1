import { uptime } from 'node:os';
import type { Moment } from './clock.js';
import { monotonicNow, wallNow } from './real-time.js';

/** The clocks of a machine, as the platform gives them, ms. */
export interface RawClocks {
  /** Never goes back; on Linux it stands still while the machine is suspended. */
  monotonic(): number;
  wall(): number;
  /** Goes on while the machine is suspended, does not follow the wall clock, and is coarse; undefined if there is no such clock. */
  uptime(): number | undefined;
}

/** Ms by which the distance between wall clock and monotonic clock may change for no reason: they are read in turn, and one is coarse. */
const NOISE = 2;
/** Ms: the resolution of the uptime, which Linux gives in hundredths of a second. */
const RESOLUTION = 10;
/** Ms by which the wall clock may show a suspension too short: because of earlier noise that did not count, and a clock of whole ms. */
const INEXACT = NOISE + 1;

export const machineClocks: RawClocks = {
  monotonic: monotonicNow,
  wall: wallNow,
  uptime: uptimeOn(process.platform),
};

/** The value of a clock, read between two readings of the monotonic clock. */
interface Reading {
  readonly told: number;
  /** Ms by which the clock is ahead of the monotonic clock, at least and at most: the process may have been paused between two readings. */
  readonly least: number;
  readonly most: number;
  /** The second reading of the monotonic clock. */
  readonly after: number;
}

/** Ms: two readings are not further apart unless the process was paused between them. */
const CLOSE = 0.5;
/** How many readings are made at most, of which the closest counts: after a pause, the process usually runs for some time without another. */
const MOST_READINGS = 3;

/**
 * Distinguishes a machine that was suspended from a wall clock that was set. Both change the distance between the wall clock and the
 * monotonic clock, which is checked whenever the time is read. The uptime is too slow to be read each time; it is read only after such a
 * change, and says which of the two happened.
 *
 * Each suspension is counted by itself and never too short, because the leases that were taken before it are shortened by its length. The
 * wall clock gives the length if the uptime agrees; otherwise the uptime gives it, rounded up. If there is no uptime, a wall clock that
 * goes forward counts as a suspension, which shortens leases and waits.
 */
export class SuspensionWatch {
  /** Ms by which the wall clock is ahead of the monotonic clock. */
  #wallAhead: number;
  /** The same for the uptime when it was last read; NaN if there is no uptime. */
  #uptimeAhead: number;
  #suspended = 0;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly raw: RawClocks) {
    this.#wallAhead = this.#read(() => raw.wall()).least;
    this.#uptimeAhead = this.#readUptime().least;
  }

  /** Calls `notify` after each suspension, as soon as the time has been read. */
  whenResumed(notify: () => void): void {
    this.#listeners.push(notify);
  }

  now(): Moment {
    const monotonic = this.raw.monotonic();
    const wall = this.raw.wall();
    const change = wall - monotonic - this.#wallAhead;
    if (change >= NOISE || change <= -NOISE) return this.#look();
    return { monotonic: monotonic + this.#suspended, wall };
  }

  /** Reads the clocks again after a change. A change that a pause of the process between two readings can explain is left for the next time. */
  #look(): Moment {
    const { told: wall, after, ...ahead } = this.#read(() => this.raw.wall());
    const least = ahead.least - this.#wallAhead;
    const most = ahead.most - this.#wallAhead;
    const hasMoved = least >= NOISE || most <= -NOISE;
    const suspended = hasMoved ? this.#suspension(most) : 0;
    if (hasMoved) this.#wallAhead += least >= NOISE ? least : most;
    this.#suspended += suspended;
    const now = { monotonic: after + this.#suspended, wall };
    if (suspended > 0) for (const notify of this.#listeners) notify();
    return now;
  }

  /** Returns the ms for which the machine was suspended, if its wall clock has gone ahead by `change` ms at most. */
  #suspension(change: number): number {
    const { least, most } = this.#readUptime();
    // The upper bound counts now, the lower bound next time: a pause between readings makes a suspension look longer, never shorter.
    const grown = most - this.#uptimeAhead;
    this.#uptimeAhead = least;
    if (Number.isNaN(grown)) return Math.max(0, change);
    // Neither bound is ever too short for a suspension, so the smaller one counts: a clock set by a few ms adds no more than the uptime may hide.
    if (Math.abs(change - grown) <= RESOLUTION) return Math.max(0, Math.min(change + INEXACT, grown + RESOLUTION));
    return grown > RESOLUTION ? grown + RESOLUTION : 0;
  }

  #readUptime(): Reading {
    return this.#read(() => this.raw.uptime() ?? NaN);
  }

  #read(clock: () => number): Reading {
    let closest = this.#readOnce(clock);
    for (let readings = 1; closest.most - closest.least > CLOSE && readings < MOST_READINGS; readings += 1) {
      const next = this.#readOnce(clock);
      if (next.most - next.least < closest.most - closest.least) closest = next;
    }
    return closest;
  }

  #readOnce(clock: () => number): Reading {
    const before = this.raw.monotonic();
    const told = clock();
    const after = this.raw.monotonic();
    return { told, least: told - after, most: told - before, after };
  }
}

/**
 * Returns the uptime of a platform. On a Mac (`mach_continuous_time`) and on Windows (performance counter) it is Node's monotonic clock, which
 * goes on there while the machine is suspended.
 */
function uptimeOn(platform: NodeJS.Platform): () => number | undefined {
  if (platform === 'darwin' || platform === 'win32') return monotonicNow;
  return platform === 'linux' ? linuxUptime : () => undefined;
}

function linuxUptime(): number | undefined {
  try {
    return uptime() * 1_000;
  } catch {
    return undefined;
  }
}
