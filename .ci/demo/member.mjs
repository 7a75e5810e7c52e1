import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { signalGroup } from './signal-group.mjs';

/**
 * @typedef {object} Order
 * @property {string} name
 * @property {string} role members of one role end together
 * @property {string} [program] by default this Node, which is then connected for messages
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [essential] whether everything ends with it; by default yes
 * @property {number} [patience] ms it may take to end when asked to; 0 does not ask
 * @property {boolean} [shown] whether its lines are passed on; by default no
 */

/** One process of the household. */
export class Member {
  /** Whether it was asked to end. */
  ending = false;
  /** @type {string[]} */
  #lines = [];
  /** @type {{ text: string, resolve: () => void }[]} */
  #awaited = [];
  #child;
  #over = false;

  /** @param {Order} order */
  constructor(order) {
    this.order = order;
    this.#child = spawn(order.program ?? process.execPath, order.args, {
      // In a group of its own: Ctrl-C goes to the launcher alone, which ends its household in order.
      detached: true,
      env: order.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe', order.program === undefined ? 'ipc' : 'ignore'],
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output) createInterface(output).on('line', (line) => this.#hear(line));
    }
    /** @type {Promise<string>} how it ended; never rejects */
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    void this.ended.then(() => (this.#over = true));
  }

  get pid() {
    return this.#child.pid;
  }

  /** The first message that it sends. @returns {Promise<any>} */
  firstMessage() {
    return this.#unlessEnded(new Promise((resolve) => this.#child.once('message', resolve)));
  }

  /** Resolves when it prints a line with the text in it. @param {string} text @returns {Promise<void>} */
  printed(text) {
    return this.#unlessEnded(new Promise((resolve) => this.#awaited.push({ text, resolve })));
  }

  /** An error that says how it ended, and what it had to say before where that was not shown. @param {string} how */
  failure(how) {
    return new Error([`${this.order.name} ended (${how})`, ...(this.order.shown ? [] : this.#lines)].join('\n'));
  }

  async end() {
    const { patience = 8_000 } = this.order;
    this.ending = true;
    if (patience > 0) this.#signal('SIGTERM');
    const overdue = setTimeout(() => this.kill(), patience);
    await this.ended;
    clearTimeout(overdue);
  }

  kill() {
    this.ending = true;
    this.#signal('SIGKILL');
  }

  /** @param {NodeJS.Signals} signal */
  #signal(signal) {
    if (this.#child.pid !== undefined && !this.#over) signalGroup(this.#child.pid, signal);
  }

  /** @param {string} line */
  #hear(line) {
    this.#lines = [...this.#lines.slice(-30), line];
    if (this.order.shown) console.log(`${this.order.name} | ${line}`);
    for (const { text, resolve } of this.#awaited) if (line.includes(text)) resolve();
  }

  /** @template T @param {Promise<T>} work @returns {Promise<T>} */
  #unlessEnded(work) {
    return Promise.race([work, this.ended.then((how) => Promise.reject(this.failure(how)))]);
  }
}
