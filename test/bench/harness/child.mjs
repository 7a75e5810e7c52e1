import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { machineTime } from './clock.mjs';
import { started } from './leaving.mjs';

/** @typedef {Record<string, any>} Figures what one run measured, by name */
/** @typedef {import('../candidates/candidates.mjs').Settings} Settings */
/** @typedef {{ work: string, candidate?: string, params: Record<string, any>, settings: Settings }} Order */
/** @typedef {{ type: 'prepare', order: Order } | { type: 'go', at: number } | { type: 'stop' }} Request */
/** @typedef {{ type: 'ready', facts: Figures } | { type: 'done', figures: Figures }} Success */
/** @typedef {Success | { type: 'failed', reason: string }} Answer */

const MAIN = fileURLToPath(new URL('child-main.mjs', import.meta.url));
const READY_WITHIN_MS = 40_000;
// Long enough for the message to reach the last of them.
const START_IN_MS = 30;
const LAST_WORDS_WITHIN_MS = 2_000;

/** What happens to a run that does not come to its end: it is reported and does not block the bench. */
export class Unfinished extends Error {}

/** A process with one candidate in it, as the bench sees it. */
export class Child {
  #process;
  #lastWords = '';
  /** @type {((answer: Answer) => void) | undefined} */
  #answered;
  /** What a work that is prepared tells of itself. @type {Figures} */
  facts = {};

  /** @param {readonly string[]} flags of Node */
  constructor(flags = []) {
    this.#process = fork(MAIN, {
      execArgv: ['--expose-gc', ...flags],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    started(this.#process);
    this.#process.stderr?.on('data', (text) => {
      this.#lastWords = (this.#lastWords + String(text)).slice(-500);
    });
    this.#process.on('message', (/** @type {Answer} */ answer) => {
      this.#answered?.(answer);
    });
    this.#process.on('error', () => undefined); // a message to one that has just ended; its exit says the same
    this.#process.once('exit', () => {
      this.#answered?.({ type: 'failed', reason: `the process ended: ${this.#lastWords.trim()}` });
    });
  }

  /** Connects and warms up. @param {Order} order */
  async prepare(order) {
    const answer = await this.#ask({ type: 'prepare', order }, READY_WITHIN_MS);
    if (answer.type === 'ready') this.facts = answer.facts;
  }

  /** Runs what was prepared from that time of the machine's clock on. @param {number} at @param {number} limit ms */
  async go(at, limit) {
    const answer = await this.#ask({ type: 'go', at }, limit);
    return answer.type === 'done' ? answer.figures : {};
  }

  end() {
    this.#process.kill('SIGKILL');
  }

  /** @param {Request} request @param {number} limit ms @returns {Promise<Answer>} */
  async #ask(request, limit) {
    if (!this.#process.connected) throw new Unfinished(`the process ended: ${this.#lastWords.trim()}`);
    const answer = this.#nextAnswer();
    this.#process.send(request);
    const inTime = await this.#inTime(answer, limit);
    if (inTime.type === 'failed') throw new Unfinished(inTime.reason);
    return inTime;
  }

  /** @returns {Promise<Answer>} */
  #nextAnswer() {
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  /**
   * Asks for what there is so far, once the limit is over.
   * @param {Promise<Answer>} answer
   * @param {number} limit ms
   * @returns {Promise<Answer>}
   */
  async #inTime(answer, limit) {
    if (await comesWithin(limit, answer)) return answer;
    if (this.#process.connected) this.#process.send({ type: 'stop' });
    if (await comesWithin(LAST_WORDS_WITHIN_MS, answer)) return answer;
    return { type: 'failed', reason: 'hangs' };
  }
}

/** @param {number} limit ms @param {Promise<unknown>} answer @returns {Promise<boolean>} */
function comesWithin(limit, answer) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), limit);
    void answer.finally(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/**
 * Lets processes go at the same moment, each with one message.
 * @param {Child[]} children
 * @param {number} limit ms
 */
export function goTogether(children, limit) {
  const at = machineTime() + START_IN_MS;
  return Promise.all(children.map((child) => child.go(at, limit)));
}
