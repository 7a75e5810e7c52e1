import { delay, machineTime } from '../harness/clock.mjs';
import { Pairs } from './alone.mjs';
import { section } from './section.mjs';
import { Zipf } from './zipf.mjs';

const WARM_UP_CALLERS = 64;
/** How long a candidate may take to serve the callers that still wait at the end of the warm-up. */
const LEFT_BEHIND_MS = 5_000;

/**
 * @typedef {object} Params
 * @property {string} run
 * @property {number} process the index of this one
 * @property {number} workers
 * @property {number} resources
 * @property {number} sectionLength ms
 * @property {number} length ms
 * @property {number} compiling ms of pairs that no other caller wants, before that
 * @property {number} warmUp ms
 */
/** @typedef {{ worker: number, rank: number, asked: number, begin: number, end: number }} Section times of the machine's clock, ms */

/**
 * Workers that want one resource after the other, a few of which are wanted by many.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {Params} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, params) {
  const { run, process: index, compiling, warmUp, length } = params;
  await new Pairs(client, `${run}:pairs:${index}`).repeat(WARM_UP_CALLERS, { length: compiling });
  const warm = new Traffic(client, `${run}:warm`, params).repeat(warmUp);
  await Promise.race([warm, delay(warmUp + LEFT_BEHIND_MS)]);
  return async (stage) => {
    globalThis.gc?.();
    const traffic = new Traffic(client, run, params);
    const cpuBefore = process.cpuUsage();
    const start = machineTime();
    // A caller that is still in line when the time is over is not waited for.
    await Promise.race([traffic.repeat(length), stage.stopped, delay(length)]);
    const elapsed = machineTime() - start;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { ...traffic.trace(), elapsed, cpu: (user + system) / 1e3 };
  };
}

class Traffic {
  /** @type {Section[]} */
  #sections = [];
  /** @type {Map<number, { rank: number, asked: number }>} */
  #waiting = new Map();
  #failures = 0;
  #note = '';

  /** @param {import('../candidates/candidates.mjs').Client} client @param {string} run @param {Params} params */
  constructor(client, run, params) {
    this.client = client;
    this.run = run;
    this.params = params;
    this.zipf = new Zipf(params.resources, params.process + 1);
  }

  /** @param {number} length ms */
  async repeat(length) {
    const end = performance.now() + length;
    const work = async (/** @type {number} */ worker) => {
      while (performance.now() < end) await this.#turn(worker, this.zipf.next());
    };
    await Promise.all(Array.from({ length: this.params.workers }, (_, worker) => work(worker)));
  }

  trace() {
    const now = machineTime();
    return {
      sections: this.#sections,
      open: Array.from(this.#waiting, ([worker, { rank, asked }]) => ({ worker, rank, wait: now - asked })),
      failures: this.#failures,
      note: this.#note,
    };
  }

  /** @param {number} worker @param {number} rank */
  async #turn(worker, rank) {
    const asked = machineTime();
    this.#waiting.set(worker, { rank, asked });
    try {
      const lock = await this.client.acquire(`traffic:${this.run}:${rank}`);
      const begin = machineTime();
      this.#waiting.delete(worker);
      await section(this.params.sectionLength);
      this.#sections.push({ worker, rank, asked, begin, end: machineTime() });
      await this.client.release(lock);
    } catch (error) {
      this.#failures += 1;
      this.#note ||= String(error).slice(0, 120);
      await delay(1); // what fails at once would else leave no turn to anything
    }
  }
}
