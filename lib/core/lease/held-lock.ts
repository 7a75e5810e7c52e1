import type { Lock } from '../api/lock.js';
import type { Claim } from '../port/claim.js';
import type { Lease } from './lease.js';

/** A held lock as its holder sees it: what `Lock` has and nothing else. The lease behind it is the engine's own. */
export class HeldLock implements Lock {
  readonly resources: readonly string[];
  readonly value: string;
  readonly #lease: Lease;

  constructor(lease: Lease, { resources, value }: Claim) {
    this.resources = resources;
    this.value = value;
    this.#lease = lease;
  }

  /** Returns the lease behind a lock; undefined for a lock that this package did not make, such as a test double, which may be any value. */
  static leaseOf(lock: Lock): Lease | undefined {
    return Object(lock) === lock && #lease in lock ? lock.#lease : undefined;
  }

  get fencingToken(): number {
    return this.#lease.fencingToken;
  }

  get validity(): number {
    return this.#lease.validity;
  }

  get isValid(): boolean {
    return this.#lease.validity > 0;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  assertValid(minimumMs = 0): void {
    this.#lease.assertValid(minimumMs);
  }

  extend(ttl?: number): Promise<void> {
    return this.#lease.extend(ttl);
  }

  release(): Promise<void> {
    return this.#lease.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lease.release();
  }
}
