// Stands for the built-in modules of Node, as far as the engine names them. The simulation brings its own clock and randomness.

export const performance = globalThis.performance;
export const { setTimeout, setInterval, clearTimeout } = globalThis;
export const hostname = (): string => 'page';

export function setImmediate(task: () => void): void {
  setTimeout(task, 0);
}

/** A browser has no limit for listeners. */
export function setMaxListeners(): void {
  // Nothing.
}

export function randomBytes(length: number): { toString(): string } {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return { toString: () => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
}

/** Shows a value in an error. */
export function inspect(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

inspect.custom = Symbol.for('nodejs.util.inspect.custom');

/** Nobody replaces the clock of the page. */
export function runInNewContext(): never {
  throw new Error('A page has no other context');
}

interface Channel {
  readonly hasSubscribers: false;
  publish(): void;
}

/** A channel that nobody subscribes to. */
export function channel(): Channel {
  return { hasSubscribers: false, publish: () => undefined };
}

export const tracingChannel = channel;

/** The page follows no context over an `await`, and needs none. */
export class AsyncLocalStorage<T> {
  #store: T | undefined;

  static snapshot(): <R>(work: () => R) => R {
    return (work) => work();
  }

  run<R>(store: T, work: () => R): R {
    const before = this.#store;
    this.#store = store;
    try {
      return work();
    } finally {
      this.#store = before;
    }
  }

  getStore(): T | undefined {
    return this.#store;
  }
}
