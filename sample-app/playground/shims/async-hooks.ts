/** Stands for the class of Node: the page follows no context over an `await`, and needs none. */
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
