import { once } from 'node:events';

/** The time from the start to the first reason to stop; what was opened meanwhile closes then, the latest first. */
export class Lifetime {
  #stopping = new AbortController();
  /** @type {(() => Promise<unknown>)[]} */
  #closers = [];
  signal = this.#stopping.signal;
  /** @type {Promise<Error>} resolves with the reason to stop */
  over = once(this.signal, 'abort').then(() => this.signal.reason);

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => this.stop(new Interruption(name)));
  }

  /** The first reason is the one that counts. @param {Error} reason */
  stop(reason) {
    this.#stopping.abort(reason);
  }

  /** The result of the work, unless a reason to stop comes first. @template T @param {Promise<T>} work */
  unlessOver(work) {
    return Promise.race([work, this.over.then((reason) => Promise.reject(reason))]);
  }

  /** @param {() => Promise<unknown>} close */
  atEnd(close) {
    this.#closers.unshift(close);
  }

  async end() {
    this.stop(new Error('the demo ended'));
    for (const close of this.#closers) await close();
  }
}

/** The reader asked the demo to stop; the message is the name of the signal. */
export class Interruption extends Error {}
