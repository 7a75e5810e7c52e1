import { delay, machineTime } from '../harness/clock.mjs';
import { section } from './section.mjs';
import { Pairs } from './alone.mjs';

const WARM_UP_WORKERS = 8;
// As in the other scenarios, turns alone are too few to have code compiled.
const WARM_UP_CALLERS = 64;
/** How long a candidate may take to serve the callers that still wait at the end of the warm-up. */
const LEFT_BEHIND_MS = 5_000;

/**
 * @typedef {object} Params
 * @property {string} run
 * @property {number} process the index of this one
 * @property {number} workers
 * @property {number} sectionLength ms
 * @property {number} [length] ms; without it every worker has one turn
 * @property {number} [compiling] ms of pairs that no other caller wants, before that
 * @property {number} warmUp ms
 */
/**
 * @typedef {object} Trace what one process saw; times are of the machine's clock, in ms
 * @property {Float64Array} waits
 * @property {Float64Array} openWaits of the callers that still waited at the end
 * @property {Float64Array} begins of the sections, and
 * @property {Float64Array} ends when the release was called
 * @property {Float64Array} turns of each worker
 * @property {number} began
 * @property {number} finishedAt when the last release was answered
 * @property {number} elapsed
 * @property {number} cpu ms
 * @property {number} failures
 * @property {string} note
 */

/**
 * Workers that all want the same key.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {Params} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, params) {
  const pairs = new Pairs(client, `${params.run}:pairs:${params.process}`);
  await pairs.repeat(WARM_UP_CALLERS, { length: params.compiling ?? 0 });
  const warmUp = new Crowd(client, `${params.run}:warm:${params.process}`, params);
  const warm = warmUp.repeat(Math.min(params.workers, WARM_UP_WORKERS), { length: params.warmUp });
  await Promise.race([warm, delay(params.warmUp + LEFT_BEHIND_MS)]);
  return async (stage) => {
    globalThis.gc?.();
    const crowd = new Crowd(client, params.run, params);
    const cpuBefore = process.cpuUsage();
    const start = machineTime();
    const { length = Infinity, workers } = params;
    const work = crowd.repeat(workers, Number.isFinite(length) ? { length } : { turns: 1 });
    // A caller that is still in line when the time is over is not waited for: a starved one could take for ever.
    await Promise.race([work, stage.stopped, ...(Number.isFinite(length) ? [delay(length)] : [])]);
    const elapsed = machineTime() - start;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { ...crowd.trace(), began: start, elapsed, cpu: (user + system) / 1e3 };
  };
}

class Crowd {
  /** @type {{ worker: number, asked: number, begin: number, end: number }[]} */
  #sections = [];
  #workers = 0;
  /** @type {Map<number, number>} since when which worker waits */
  #waiting = new Map();
  #failures = 0;
  #note = '';
  #finishedAt = 0;

  /**
   * @param {import('../candidates/candidates.mjs').Client} client
   * @param {string} key
   * @param {{ sectionLength: number }} params
   */
  constructor(client, key, { sectionLength }) {
    this.client = client;
    this.key = `contended:${key}`;
    this.sectionLength = sectionLength;
  }

  /** @param {number} workers @param {{ length?: number, turns?: number }} bounds ms, or how often */
  async repeat(workers, { length = Infinity, turns = Infinity }) {
    const end = performance.now() + length;
    this.#workers = workers;
    const work = async (/** @type {number} */ worker) => {
      for (let turn = 0; turn < turns && performance.now() < end; turn += 1) await this.#turn(worker);
    };
    await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  }

  trace() {
    const now = machineTime();
    const turns = new Float64Array(this.#workers);
    for (const { worker } of this.#sections) turns[worker] = Number(turns[worker]) + 1;
    return {
      waits: Float64Array.from(this.#sections, ({ asked, begin }) => begin - asked),
      openWaits: Float64Array.from(this.#waiting.values(), (since) => now - since),
      begins: Float64Array.from(this.#sections, ({ begin }) => begin),
      ends: Float64Array.from(this.#sections, ({ end }) => end),
      turns,
      finishedAt: this.#finishedAt,
      failures: this.#failures,
      note: this.#note,
    };
  }

  /** @param {number} worker */
  async #turn(worker) {
    const asked = machineTime();
    this.#waiting.set(worker, asked);
    try {
      const lock = await this.client.acquire(this.key);
      const begin = machineTime();
      this.#waiting.delete(worker);
      await section(this.sectionLength);
      this.#sections.push({ worker, asked, begin, end: machineTime() });
      await this.client.release(lock);
      this.#finishedAt = machineTime();
    } catch (error) {
      this.#failures += 1;
      this.#note ||= String(error).slice(0, 120);
      await delay(1); // what fails at once would else leave no turn to anything
    }
  }
}
