/** Lets so many things run at once; the others wait in line. */
export class Slots {
  /** @type {(() => void)[]} */
  #waiting = [];
  #free;
  isClosed = false;

  /** @param {number} count */
  constructor(count) {
    this.#free = count;
  }

  /** Nothing more begins. */
  close() {
    this.isClosed = true;
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  async use(work) {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    try {
      if (this.isClosed) throw new Error('stopped');
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
