import { LockLostError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';

/** A lock on no node, which the test can take away. */
export class StubLock implements Lock {
  readonly value = 'stub';
  readonly fencingToken = 1;
  readonly #abort = new AbortController();

  constructor(readonly resources: readonly string[]) {}

  get validity(): number {
    return this.isValid ? 1_000 : 0;
  }

  get isValid(): boolean {
    return !this.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Loses it, as a lease that ran out does. */
  lose(): LockLostError {
    const error = new LockLostError(this.resources, 'nodes', 'the test took it away');
    this.#abort.abort(error);
    return error;
  }

  assertValid(): void {
    this.signal.throwIfAborted();
  }

  async extend(): Promise<void> {
    this.assertValid();
  }

  async release(): Promise<void> {
    // Nothing is held.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
