import { AsyncLocalStorage } from 'node:async_hooks';

/** What is patched here, as a plain object. */
const PROTOTYPE = AsyncLocalStorage.prototype as { run: (this: object, ...args: never[]) => unknown };

/**
 * The async contexts that come into use meanwhile. Node 20 goes through all of them, for ever, with every promise, and a
 * simulated process that dies has no way to let go of its own.
 */
export class UsedContexts {
  readonly #used = new Set<AsyncLocalStorage<unknown>>();
  readonly #original = PROTOTYPE.run;

  constructor() {
    const { run } = PROTOTYPE;
    const used = this.#used;
    PROTOTYPE.run = function (this: object, ...args: never[]) {
      used.add(this as AsyncLocalStorage<unknown>);
      return run.apply(this, args);
    };
  }

  end(): void {
    PROTOTYPE.run = this.#original;
    for (const context of this.#used) context.disable();
  }
}
