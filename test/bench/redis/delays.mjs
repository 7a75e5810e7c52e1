/** Ms under which Node's timers, which know whole ms only, are too coarse. */
const SHORT_MS = 2;
/** Ms of a nap between two looks at the sockets. */
const NAP_MS = 0.01;
const BED = new Int32Array(new SharedArrayBuffer(4));

/** Tasks that wait for their time, which may be less than a ms away. */
export class Delays {
  /** Ms. */
  length = 0;
  /** @type {{ due: number, task: () => void }[]} */
  #waiting = [];
  #isAwake = false;

  /** @param {number} due of `performance.now()` @param {() => void} task */
  at(due, task) {
    if (this.length >= SHORT_MS) {
      setTimeout(task, due - performance.now());
      return;
    }
    this.#waiting.push({ due, task });
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => this.#look());
  }

  #look() {
    const now = performance.now();
    const due = this.#waiting.filter((one) => one.due <= now);
    this.#waiting = this.#waiting.filter((one) => one.due > now);
    for (const { task } of due) task();
    this.#isAwake = this.#waiting.length > 0;
    if (!this.#isAwake) return;
    // A nap leaves the processor to the nodes; sockets are read between two of them.
    if (due.length === 0) Atomics.wait(BED, 0, 0, NAP_MS);
    setImmediate(() => this.#look());
  }
}
