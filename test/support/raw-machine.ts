import type { RawClocks } from '../../lib/core/time/suspension-watch.js';

/** The clocks of a machine as it is moved by a test. */
export class RawMachine implements RawClocks {
  tellsUptime = true;
  /** How often the uptime was asked for. */
  uptimesRead = 0;
  /** Ms. */
  wallResolution = 0;
  #monotonic = 1_234.5;
  #wall = 1_700_000_000_000.25;
  #uptime = 7_654_321.9;
  #stall = { readings: 0, ms: 0 };

  monotonic(): number {
    const now = this.#monotonic;
    this.#maybeStall();
    return now;
  }

  wall(): number {
    const now =
      this.wallResolution === 0 ? this.#wall : Math.floor(this.#wall / this.wallResolution) * this.wallResolution;
    this.#maybeStall();
    return now;
  }

  /** In hundredths of a second, as Linux tells it. */
  uptime(): number | undefined {
    this.uptimesRead += 1;
    const now = this.tellsUptime ? Math.floor(this.#uptime / 10) * 10 : undefined;
    this.#maybeStall();
    return now;
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

  /** The process that reads the clocks stands still for so long once it has read one so many times from now, whichever it is. */
  stallAfterReading(ms: number, readings = 1): void {
    this.#stall = { readings, ms };
  }

  #maybeStall(): void {
    this.#stall.readings -= 1;
    if (this.#stall.readings === 0) this.pass(this.#stall.ms);
  }
}
