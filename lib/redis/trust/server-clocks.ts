import { NodeClock } from './node-clock.js';

/** Of how many runs the clock is kept: an address leads to few servers, but a server has another run after each restart. */
const MOST_RUNS = 8;

/**
 * The clocks of the servers to which one address leads, one after the other. An address may lead away and back, as by a failover or a proxy, and
 * the clock of the server may have been set meanwhile: its client has asked it before, and so has to notice that.
 */
export class ServerClocks {
  /** The clock of the server to which the address leads now. */
  current = new NodeClock();
  /** By run; the latest one is last. */
  readonly #byRun = new Map<string, NodeClock>();

  /** The address leads to this run of a server; `undefined` is one of which nothing is known. */
  meet(run: string | undefined): void {
    this.current = (run === undefined ? undefined : this.#byRun.get(run)) ?? new NodeClock();
    if (run === undefined) return;
    this.#byRun.delete(run);
    this.#byRun.set(run, this.current);
    const [oldest] = this.#byRun.keys();
    if (this.#byRun.size > MOST_RUNS) this.#byRun.delete(oldest!);
  }
}
