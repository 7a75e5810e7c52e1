import type { Claim } from '../core/port/claim.js';
import { Tidying } from './tidying.js';

export interface Entry {
  readonly value: string;
  /** On the wall clock, as Redis keeps it. */
  expires: number;
}

/** The locks on a node in memory. */
export class MemoryEntries {
  #entries = new Map<string, Entry>();
  readonly #tidying = new Tidying();

  constructor(private readonly wall: () => number) {}

  get(resource: string): Entry | undefined {
    const entry = this.#entries.get(resource);
    if (entry && entry.expires <= this.wall()) this.#entries.delete(resource);
    return this.#entries.get(resource);
  }

  set(resource: string, value: string, ttl: number): void {
    this.#entries.set(resource, { value, expires: this.wall() + ttl });
    this.#tidying.check(this.#entries, () => [...this.#entries.keys()].forEach((each) => this.get(each)));
  }

  /** Sets it, or makes it last longer where it has the value. */
  take(resource: string, value: string, ttl: number): void {
    const entry = this.get(resource);
    const lastsLonger = entry?.value === value && entry.expires > this.wall() + ttl;
    if (!lastsLonger || entry.expires === Infinity) this.set(resource, value, ttl);
  }

  /** All of a claim or nothing; only where its holder is through with it may it end sooner. */
  extend({ resources, value, over }: Claim, ttl: number): 'taken' | 'missing' | 'extended' {
    const entries = resources.map((resource) => this.get(resource));
    if (entries.some((entry) => entry && entry.value !== value)) return 'taken';
    if (entries.includes(undefined)) return 'missing';
    for (const resource of resources) this[over ? 'set' : 'take'](resource, value, ttl);
    return 'extended';
  }

  delete(resource: string): void {
    this.#entries.delete(resource);
  }

  /** Of those who stand in the way of a claim, the one that lasts longest. */
  longest({ resources, value }: Claim): Entry | undefined {
    let longest: Entry | undefined;
    for (const resource of resources) {
      const entry = this.get(resource);
      if (entry && entry.value !== value && (!longest || entry.expires > longest.expires)) longest = entry;
    }
    return longest;
  }

  snapshot(): ReadonlyMap<string, Readonly<Entry>> {
    return new Map([...this.#entries].map(([resource, entry]) => [resource, { ...entry }]));
  }

  restore(entries: ReadonlyMap<string, Readonly<Entry>>): void {
    this.#entries = new Map([...entries].map(([resource, entry]) => [resource, { ...entry }]));
  }
}
