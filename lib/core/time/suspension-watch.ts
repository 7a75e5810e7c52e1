import { uptime } from 'node:os';
import type { Moment } from './clock.js';

/** The clocks of a machine as they are, ms. */
export interface RawClocks {
  /** Never goes back; on Linux it stands still while the machine is suspended. */
  monotonic(): number;
  wall(): number;
  /** Goes on while the machine is suspended, whatever the wall clock is set to, and is coarse; undefined where there is no such clock. */
  uptime(): number | undefined;
}

/** Ms by which the distance of the wall clock from the monotonic one may differ without a reason: both are read in turn, and one is coarse. */
const NOISE = 2;
/** Ms: Linux tells the uptime in hundredths of a second. */
const RESOLUTION = 10;
/** Ms by which the wall clock may show a suspension too short: noise that was not noticed before, and a clock of whole ms. */
const INEXACT = NOISE + 1;

/** Tests may put another one in its place, and time goes on as that says, whatever the machine knows of it. */
const REAL_DATE = Date;

const uptimeHere = uptimeOn(process.platform);

export const machineClocks: RawClocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  uptime: () => (Date === REAL_DATE ? uptimeHere() : undefined),
};

/** What a clock tells, read between two readings of the monotonic one. */
interface Reading {
  readonly told: number;
  /** Ms by which it is ahead of the monotonic clock, at least and at most: this process may have stood still between two readings. */
  readonly least: number;
  readonly most: number;
  /** The monotonic clock behind it. */
  readonly after: number;
}

/** Ms: no more is between two readings unless the process stood still. */
const CLOSE = 0.5;
/** Readings from which the closest is taken: a process that has stood still has its turn for some time now. */
const MOST_READINGS = 3;

/**
 * Tells a machine that was suspended from a wall clock that was set. Either moves the wall clock against the monotonic one, which is
 * looked at whenever somebody asks for the time; the uptime, which is too slow to be read each time, then says which of the two it was.
 * Each suspension is counted by itself and never too short, since a lease that was taken before it is cut by that much: the wall clock
 * gives its length where the uptime agrees, and otherwise the uptime does, rounded up. Where there is no uptime, a wall clock that goes
 * forward counts as a suspension, which cuts leases and waits.
 */
export class SuspensionWatch {
  /** Ms by which the wall clock is ahead of the monotonic one. */
  #wallAhead: number;
  /** The same of the uptime when it was last read; NaN where there is none. */
  #uptimeAhead: number;
  #suspended = 0;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly raw: RawClocks) {
    this.#wallAhead = this.#read(() => raw.wall()).least;
    this.#uptimeAhead = this.#readUptime().least;
  }

  /** Calls `tell` after each suspension, as soon as somebody has asked for the time. */
  whenResumed(tell: () => void): void {
    this.#listeners.push(tell);
  }

  now(): Moment {
    const monotonic = this.raw.monotonic();
    const wall = this.raw.wall();
    const change = wall - monotonic - this.#wallAhead;
    if (change >= NOISE || change <= -NOISE) return this.#look();
    return { monotonic: monotonic + this.#suspended, wall };
  }

  /** It may as well be that this process stood still between two readings: what can be explained by that is left for the next time. */
  #look(): Moment {
    const { told: wall, after, ...ahead } = this.#read(() => this.raw.wall());
    const least = ahead.least - this.#wallAhead;
    const most = ahead.most - this.#wallAhead;
    const hasMoved = least >= NOISE || most <= -NOISE;
    const suspended = hasMoved ? this.#suspension(most) : 0;
    if (hasMoved) this.#wallAhead += least >= NOISE ? least : most;
    this.#suspended += suspended;
    const now = { monotonic: after + this.#suspended, wall };
    if (suspended > 0) for (const tell of this.#listeners) tell();
    return now;
  }

  /** Ms for which the machine was suspended if its wall clock has gone ahead by `change` ms, at most. */
  #suspension(change: number): number {
    const { least, most } = this.#readUptime();
    // The most here and the least for the next time: what comes in between makes a suspension look longer, never shorter.
    const grown = most - this.#uptimeAhead;
    this.#uptimeAhead = least;
    if (Number.isNaN(grown)) return Math.max(0, change);
    if (Math.abs(change - grown) <= RESOLUTION) return Math.max(0, change + INEXACT);
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

/** Node's monotonic clock goes on by itself on a suspended Mac (`mach_continuous_time`) and Windows (performance counter). */
function uptimeOn(platform: NodeJS.Platform): () => number | undefined {
  if (platform === 'darwin' || platform === 'win32') return () => performance.now();
  return platform === 'linux' ? linuxUptime : () => undefined;
}

function linuxUptime(): number | undefined {
  try {
    return uptime() * 1_000;
  } catch {
    return undefined;
  }
}
