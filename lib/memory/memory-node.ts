import type { Claim } from '../core/claim.js';
import type { Clock } from '../core/clock.js';
import type { AcquireAnswer, ExtendAnswer, LockNode, ProbeAnswer, ReleaseAnswer } from '../core/lock-node.js';

interface Entry {
  readonly value: string;
  /** On the wall clock, as Redis keeps it. */
  expires: number;
}

/** A node in memory that answers as a Redis master would: for tests without Redis, and for simulations. */
export class MemoryNode implements LockNode {
  readonly #entries = new Map<string, Entry>();

  constructor(
    readonly name: string,
    private readonly clock: Clock,
  ) {}

  acquire(claim: Claim, ttl: number, answered: (answer: AcquireAnswer) => void): void {
    const obstacle = this.#longest(
      claim.resources.map((resource) => this.#living(resource)).filter((entry) => entry && entry.value !== claim.value),
    );
    if (!obstacle) for (const resource of claim.resources) this.set(resource, claim.value, ttl);
    const answer: AcquireAnswer = obstacle
      ? { kind: 'held', remaining: obstacle.expires - this.clock.now().wall, owner: obstacle.value }
      : { kind: 'granted' };
    queueMicrotask(() => answered(answer));
  }

  extend(claim: Claim, ttl: number, answered: (answer: ExtendAnswer) => void): void {
    const entries = claim.resources.map((resource) => this.#living(resource));
    const taken = entries.some((entry) => entry && entry.value !== claim.value);
    const missing = entries.includes(undefined);
    if (!taken && !missing) for (const entry of entries) entry!.expires = this.clock.now().wall + ttl;
    queueMicrotask(() => answered({ kind: taken ? 'taken' : missing ? 'missing' : 'extended' }));
  }

  release(claim: Claim, _ttl: number, answered: (answer: ReleaseAnswer) => void): void {
    const ours = claim.resources.filter((resource) => this.#living(resource)?.value === claim.value);
    for (const resource of ours) this.#entries.delete(resource);
    queueMicrotask(() => answered({ kind: ours.length > 0 ? 'released' : 'gone' }));
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    queueMicrotask(() => answered({ kind: 'up' }));
  }

  async open(): Promise<void> {
    // A node in memory is always there.
  }

  async close(): Promise<void> {
    this.flush();
  }

  /** Plants a key as a foreign client would. */
  set(resource: string, value: string, ttl = Infinity): void {
    this.#entries.set(resource, { value, expires: this.clock.now().wall + ttl });
  }

  /** The value under a resource, if it is held. */
  get(resource: string): string | undefined {
    return this.#living(resource)?.value;
  }

  /** Forgets everything, as a node without persistence does on a restart. */
  flush(): void {
    this.#entries.clear();
  }

  #living(resource: string): Entry | undefined {
    const entry = this.#entries.get(resource);
    if (entry && entry.expires <= this.clock.now().wall) this.#entries.delete(resource);
    return this.#entries.get(resource);
  }

  #longest(entries: readonly (Entry | undefined)[]): Entry | undefined {
    return entries.reduce(
      (longest, entry) => (entry && (!longest || entry.expires > longest.expires) ? entry : longest),
      undefined,
    );
  }
}
