import { delay, machineTime } from '../harness/clock.mjs';
import { used } from './memory-used.mjs';
import { percentile, sorted } from '../harness/statistics.mjs';

// One caller alone would need long until its code is compiled.
const WARM_UP_CONCURRENCY = 64;

/**
 * @typedef {object} Params
 * @property {string} run
 * @property {number} concurrency
 * @property {number} warmUp ms
 * @property {number} [length] ms
 * @property {number} [pairs] how many, where that is the bound
 */

/**
 * Workers that take and release names of their own, one after the other: no worker waits for another.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {Params} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, { run, concurrency, warmUp, length = Infinity, pairs = Infinity }) {
  await new Pairs(client, `${run}:warm`).repeat(Math.max(concurrency, WARM_UP_CONCURRENCY), { length: warmUp });
  let measured = 0;
  return async (stage) => {
    globalThis.gc?.();
    const params = { run: `${run}:${(measured += 1)}`, concurrency, length, pairs };
    const figures = await measurePairs(client, params, stage.stopped);
    return { ...figures, heap: used().heap };
  };
}

/**
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {{ run: string, concurrency: number, length: number, pairs: number }} params
 * @param {Promise<void>} stopped
 */
async function measurePairs(client, { run, concurrency, length, pairs }, stopped) {
  const work = new Pairs(client, run);
  const cpuBefore = process.cpuUsage();
  const start = machineTime();
  await Promise.race([work.repeat(concurrency, { length, pairs }), stopped]);
  const elapsed = machineTime() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return work.figures(elapsed, (user + system) / 1e3);
}

/** Acquire and release, and how long it took. */
export class Pairs {
  failures = 0;
  /** @type {number[]} ms */
  #latencies = [];
  /** @type {Set<{ since: number }>} */
  #open = new Set();
  #firstFailure = '';
  #next = 0;

  /** @param {import('../candidates/candidates.mjs').Client} client @param {string} run */
  constructor(client, run) {
    this.client = client;
    this.run = run;
  }

  /** @param {number} concurrency @param {{ length?: number, pairs?: number }} bounds ms, or how many */
  async repeat(concurrency, { length = Infinity, pairs = Infinity }) {
    const end = performance.now() + length;
    const worker = async () => {
      const own = { since: 0 };
      this.#open.add(own);
      while (performance.now() < end && this.#next < pairs) await this.#pair(own);
      this.#open.delete(own);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }

  /** @param {number} elapsed ms @param {number} cpu ms @returns {import('../harness/child.mjs').Figures} */
  figures(elapsed, cpu) {
    const pairs = this.#latencies.length;
    const now = performance.now();
    // A caller that still waits has waited at least so long.
    const ascending = sorted([...this.#latencies, ...Array.from(this.#open, ({ since }) => now - since)]);
    return {
      pairs,
      opsPerSecond: (pairs / elapsed) * 1e3,
      p50: percentile(ascending, 0.5),
      p99: percentile(ascending, 0.99),
      clientCpu: (cpu / pairs) * 1e3,
      failures: this.failures,
      unfinished: this.#open.size,
      ...(this.failures > 0 && { note: this.#firstFailure }),
    };
  }

  /** @param {{ since: number }} own */
  async #pair(own) {
    this.#next += 1;
    own.since = performance.now();
    try {
      await this.client.release(await this.client.acquire(`user:${this.run}:${this.#next}`));
      this.#latencies.push(performance.now() - own.since);
    } catch (error) {
      this.failures += 1;
      this.#firstFailure ||= String(error).slice(0, 120);
      await delay(1); // what fails at once would else leave no turn to anything
    }
  }
}
