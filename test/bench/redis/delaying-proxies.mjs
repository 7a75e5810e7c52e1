import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { started } from '../harness/leaving.mjs';

const MAIN = fileURLToPath(new URL('delaying-proxies-main.mjs', import.meta.url));

/** Make nodes, or the network to them, slow. */
export class DelayingProxies {
  #process = fork(MAIN);

  constructor() {
    started(this.#process);
  }

  /**
   * @param {number[]} ports of the nodes
   * @returns {Promise<number[]>} the ports in their place, at first without delay
   */
  async start(ports) {
    const { ports: own } = await this.#ask({ ports });
    return own;
  }

  /** @param {number} delay ms each way */
  async setDelay(delay) {
    await this.#ask({ delay });
  }

  stop() {
    this.#process.kill('SIGKILL');
  }

  /** @param {import('./delaying-proxies-main.mjs').Request} request @returns {Promise<any>} */
  async #ask(request) {
    const answer = once(this.#process, 'message');
    this.#process.send(request);
    return (await answer)[0];
  }
}
