import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keeper } from './keeper.mjs';
import { Member } from './member.mjs';

/** The processes and folders of one start. They go in the reverse order, whatever the reason, and nothing is left. */
export class Household {
  /** @type {Member[]} */
  #members = [];
  /** @type {string[]} */
  #folders = [];
  /** @type {(() => void)[]} */
  #lastSteps = [];
  #keeper = new Keeper();
  #stopping = new AbortController();
  /** @type {Promise<never>} */
  #stopped = new Promise((_, reject) => {
    const { signal } = this.#stopping;
    signal.addEventListener('abort', () => reject(signal.reason));
  });

  constructor() {
    // A caller that waits is told; when nobody waits, there is nobody to tell.
    this.#stopped.catch(() => undefined);
  }

  /** Stops what is under way; asked again, it waits for nobody. @param {Error} reason */
  stop(reason) {
    if (this.#stopping.signal.aborted) for (const member of this.#members) member.kill();
    else this.#stopping.abort(reason);
  }

  /** Rejects with the reason as soon as there is one to stop. */
  untilStopped() {
    return this.#stopped;
  }

  /** The result of the work, unless a stop comes first. @template T @param {Promise<T>} work @returns {Promise<T>} */
  unlessStopped(work) {
    return Promise.race([work, this.#stopped]);
  }

  /** @param {import('./member.mjs').Order} order */
  start(order) {
    this.#stopping.signal.throwIfAborted();
    const member = new Member(order);
    this.#members.push(member);
    this.#keeper.keep('pid', member.pid);
    void member.ended.then((how) => this.#leave(member, how));
    return member;
  }

  /** Runs something to its end. @param {import('./member.mjs').Order} order */
  async run(order) {
    const member = this.start({ essential: false, shown: true, ...order });
    const how = await this.unlessStopped(member.ended);
    if (how !== 'exit code 0') throw new Error(`${order.name} failed (${how})`);
  }

  /** A folder that goes when the household does. @param {string} prefix */
  temporaryFolder(prefix) {
    this.#stopping.signal.throwIfAborted();
    const folder = mkdtempSync(join(tmpdir(), prefix));
    this.#folders.push(folder);
    this.#keeper.keep('folder', folder);
    return folder;
  }

  /** What is left to do when all processes are gone. @param {() => void} step */
  atEnd(step) {
    this.#lastSteps.push(step);
  }

  async end() {
    this.#stopping.abort(new Error('the household ended'));
    const roles = [...new Set(this.#members.map(({ order }) => order.role))].toReversed();
    for (const role of roles) {
      await Promise.all(this.#members.filter(({ order }) => order.role === role).map((member) => member.end()));
    }
    for (const folder of this.#folders) {
      rmSync(folder, { recursive: true, force: true });
      this.#keeper.forget('folder', folder);
    }
    for (const step of this.#lastSteps) step();
    await this.#keeper.close();
  }

  /** @param {Member} member @param {string} how */
  #leave(member, how) {
    this.#members = this.#members.filter((other) => other !== member);
    this.#keeper.forget('pid', member.pid);
    if (!member.ending && member.order.essential !== false) this.stop(member.failure(how));
  }
}
