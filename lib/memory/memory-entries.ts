import type { Claim } from '../core/port/claim.js';
import { Tidying } from '../core/collections/tidying.js';

export interface MemoryEntry {
  readonly value: string;
  /** Ms on the wall clock, as in Redis. */
  expires: number;
}

/** The locks on a node in memory, by resource. */
export class MemoryEntries {
  #entries = new Map<string, MemoryEntry>();
  readonly #tidying = new Tidying();

  constructor(private readonly wall: () => number) {}

  get(resource: string): MemoryEntry | undefined {
    const entry = this.#entries.get(resource);
    if (entry && entry.expires <= this.wall()) this.#entries.delete(resource);
    return this.#entries.get(resource);
  }

  set(resource: string, value: string, ttl: number): void {
    this.#entries.set(resource, { value, expires: this.wall() + ttl });
    this.#tidying.check(this.#entries, () => [...this.#entries.keys()].forEach((each) => this.get(each)));
  }

  /** Sets the lock; a lock with the same value only becomes longer, unless it never expires. */
  take(resource: string, value: string, ttl: number): void {
    const entry = this.get(resource);
    const lastsLonger = entry?.value === value && entry.expires > this.wall() + ttl;
    if (!lastsLonger || entry.expires === Infinity) this.set(resource, value, ttl);
  }

  /** Extends all locks of a claim, or none. Only if `mayShorten` is true may they become shorter. */
  extend({ resources, value }: Claim, ttl: number, mayShorten: boolean): 'taken' | 'missing' | 'extended' {
    const entries = resources.map((resource) => this.get(resource));
    if (entries.some((entry) => entry && entry.value !== value)) return 'taken';
    if (entries.includes(undefined)) return 'missing';
    for (const resource of resources) this[mayShorten ? 'set' : 'take'](resource, value, ttl);
    return 'extended';
  }

  /** Returns whether a claim has all its resources. */
  has({ resources, value }: Claim): boolean {
    return resources.every((resource) => this.get(resource)?.value === value);
  }

  delete(resource: string): void {
    this.#entries.delete(resource);
  }

  /** Deletes the locks of a claim; returns whether there were any. */
  release({ resources, value }: Claim): boolean {
    const ours = resources.filter((resource) => this.get(resource)?.value === value);
    for (const resource of ours) this.#entries.delete(resource);
    return ours.length > 0;
  }

  /** Returns, of the locks of other owners on the resources of a claim, the one that lasts longest. */
  longest({ resources, value }: Claim): MemoryEntry | undefined {
    let longest: MemoryEntry | undefined;
    for (const resource of resources) {
      const entry = this.get(resource);
      if (entry && entry.value !== value && (!longest || entry.expires > longest.expires)) longest = entry;
    }
    return longest;
  }

  snapshot(): ReadonlyMap<string, Readonly<MemoryEntry>> {
    return new Map([...this.#entries].map(([resource, entry]) => [resource, { ...entry }]));
  }

  restore(entries: ReadonlyMap<string, Readonly<MemoryEntry>>): void {
    this.#entries = new Map([...entries].map(([resource, entry]) => [resource, { ...entry }]));
  }
}
