import { availableParallelism } from 'node:os';
import { onEnd } from '../../bench/harness/leaving.mjs';
import { INSTALLS } from '../installs.mjs';
import { installPackages, secondsSince } from './installation.mjs';
import { Slots } from './slots.mjs';
import { Workplace } from './workplace.mjs';

/** @typedef {import('../consumers.mjs').Consumer} Consumer */

/** Installs what the consumers need, each installation once, and runs them; as many at a time as there are cores. */
export class Program {
  #slots = new Slots(Math.min(4, Math.max(2, availableParallelism())));
  /** @type {Map<string, Promise<string>>} */
  #installed = new Map();
  #settings;

  /** @param {{ root: string, tarball: string, nodes: readonly string[], isThorough: boolean }} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** @param {readonly Consumer[]} consumers @returns {Promise<Consumer[]>} those that failed */
  async runAll(consumers) {
    onEnd(() => this.#slots.close());
    const needed = INSTALLS.filter(({ name }) => consumers.some(({ installs }) => installs.includes(name)));
    for (const install of needed) {
      const installed = this.#slots.use(() => installPackages(install, this.#settings));
      installed.catch(() => undefined); // told by the caller that needs it
      this.#installed.set(install.name, installed);
    }
    const passed = await Promise.all(consumers.map((consumer) => this.#run(consumer)));
    return consumers.filter((_, index) => !passed[index]);
  }

  /** @param {Consumer} consumer */
  async #run(consumer) {
    const place = new Workplace(consumer.name, this.#settings);
    try {
      for (const name of consumer.installs) place.folders.set(name, (await this.#installed.get(name)) ?? '');
      const seconds = await this.#slots.use(async () => {
        const began = performance.now();
        try {
          await consumer.work(place);
        } finally {
          await place.clear();
        }
        return secondsSince(began);
      });
      console.log(`passed     ${consumer.name.padEnd(24)} ${seconds}`);
      return true;
    } catch (error) {
      if (this.#slots.isClosed) return false; // ended from outside: that is no finding
      const { message } = /** @type {Error} */ (error);
      console.log(`FAILED     ${consumer.name}\n${indented(`${place.output}\n${message}`)}`);
      return false;
    }
  }
}

/** @param {string} text */
function indented(text) {
  return text.trim().replace(/^/gm, '  | ');
}
