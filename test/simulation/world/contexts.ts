import { AsyncLocalStorage } from 'node:async_hooks';

/** What is patched here, as a plain object. */
const PROTOTYPE = AsyncLocalStorage.prototype as {
  run: (this: object, store: unknown, work: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown;
};

const SETTLED = Promise.resolve();

/**
 * The async contexts of a simulation. Node 20 goes through all that ever came into use, for ever, with every promise, and a
 * simulated process that dies has no way to let go of its own.
 */
export class Contexts {
  readonly #used = new Set<AsyncLocalStorage<unknown>>();
  readonly #original = PROTOTYPE.run;
  readonly #queueMicrotask = globalThis.queueMicrotask;

  /** Without them work that asks nothing of its context, as all simulated work, goes the same way and takes less time. */
  constructor(real: boolean) {
    const original = this.#original;
    const used = this.#used;
    // The one of Node makes a resource for async hooks first; both put into the same queue.
    if (!real) globalThis.queueMicrotask = (task) => void SETTLED.then(task);
    PROTOTYPE.run = function (store, work, ...args) {
      if (!real) return work(...args);
      used.add(this as AsyncLocalStorage<unknown>);
      return original.call(this, store, work, ...args);
    };
  }

  end(): void {
    PROTOTYPE.run = this.#original;
    globalThis.queueMicrotask = this.#queueMicrotask;
    for (const context of this.#used) context.disable();
  }
}
