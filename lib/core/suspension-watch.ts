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

/** Tests may put another one in its place, and time goes on as that says, whatever the machine knows of it. */
const REAL_DATE = Date;

const uptimeHere = uptimeOn(process.platform);

export const machineClocks: RawClocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  uptime: () => (Date === REAL_DATE ? uptimeHere() : undefined),
};

/**
 * Tells a machine that was suspended from a wall clock that was set. Either moves the wall clock against the monotonic one, which is
 * looked at whenever somebody asks for the time; the uptime, which is too slow to be read each time, then says for how long the
 * machine has been suspended since this watch began. It is rounded up, so that time may seem to have gone on by up to 20 ms more, once
 * and for all: that cuts a lease by so much, which is safe. Where there is no uptime, a wall clock that goes forward counts as a
 * suspension, which cuts leases and waits.
 */
export class SuspensionWatch {
  /** Ms by which the wall clock is ahead of the monotonic one. */
  #wallAhead: number;
  /** The same of the uptime when this began; NaN where there is none. */
  readonly #uptimeAhead: number;
  #suspended = 0;

  constructor(private readonly raw: RawClocks) {
    this.#wallAhead = raw.wall() - raw.monotonic();
    // Read before the other clock here and after it later: what comes in between makes a suspension look longer, never shorter.
    this.#uptimeAhead = (raw.uptime() ?? NaN) - raw.monotonic();
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
    const before = this.raw.monotonic();
    const wall = this.raw.wall();
    const after = this.raw.monotonic();
    const least = wall - after - this.#wallAhead;
    const most = wall - before - this.#wallAhead;
    if (least >= NOISE) this.#moved(least);
    else if (most <= -NOISE) this.#moved(most);
    return { monotonic: after + this.#suspended, wall };
  }

  #moved(change: number): void {
    this.#wallAhead += change;
    const monotonic = this.raw.monotonic();
    const grown = (this.raw.uptime() ?? NaN) - monotonic - this.#uptimeAhead;
    const suspended = Number.isNaN(grown) ? this.#suspended + change : grown + RESOLUTION;
    this.#suspended = Math.max(this.#suspended, suspended);
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
