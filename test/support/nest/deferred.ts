/** A promise that the test settles. */
export class Deferred<T = void> {
  readonly promise: Promise<T>;
  resolve!: (value: T | PromiseLike<T>) => void;
  reject!: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Rejected on purpose before any code waits: that is no unhandled rejection.
    this.promise.catch(() => undefined);
  }
}
