import type { RawClocks } from '../../lib/core/time/suspension-watch.js';

/** The clocks of a machine as it is moved by a test. */
export class RawMachine implements RawClocks {
  tellsUptime = true;
  /** How often somebody asked for the uptime. */
  uptimesRead = 0;
  /** Ms. */
  wallResolution = 0;
  #monotonic = 1_234.5;
  #wall = 1_700_000_000_000.25;
  #uptime = 7_654_321.9;
  #stall = 0;

  monotonic(): number {
    const now = this.#monotonic;
    this.pass(this.#stall);
    this.#stall = 0;
    return now;
  }

  wall(): number {
    return this.wallResolution === 0 ? this.#wall : Math.floor(this.#wall / this.wallResolution) * this.wallResolution;
  }

  /** In hundredths of a second, as Linux tells it. */
  uptime(): number | undefined {
    this.uptimesRead += 1;
    return this.tellsUptime ? Math.floor(this.#uptime / 10) * 10 : undefined;
  }

  pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
    this.#uptime += ms;
  }

  suspend(ms: number): void {
    this.#wall += ms;
    this.#uptime += ms;
  }

  /** Sets the wall clock forward, or back. */
  setWall(ms: number): void {
    this.#wall += ms;
  }

  /** The process that reads the clocks stands still for so long once it has read the monotonic one. */
  stallAfterReading(ms: number): void {
    this.#stall = ms;
  }
}
