import { counterOf } from '../core/port/fencing.js';
import type { Question } from '../core/port/lock-node.js';

type TokenTerms = Pick<Question<never>, 'claim' | 'proposal' | 'tokens'>;

/** Fencing tokens that come with one vote for some resources. */
interface Tokens {
  readonly resources: readonly string[];
  readonly tokens: number;
}

/** The fence counters of a node in memory. They outlive all locks, and a few resources share each of them. */
export class MemoryFences {
  /** By counter: the last token that was given away. */
  #counters = new Map<string, number>();

  constructor(
    private readonly wall: () => number,
    private readonly maxTtl: number,
  ) {}

  get(resource: string): number | undefined {
    return this.#counters.get(counterOf(resource));
  }

  /** Returns the first of the tokens that come with a vote; `isOurs` is true if the claim has the resources already. */
  first({ claim: { resources }, proposal, tokens }: TokenTerms, isOurs: boolean): number {
    return isOurs ? this.again({ resources, tokens }, proposal) : this.next(resources, proposal);
  }

  /** Returns the first token of a new vote: the proposal of the client, or the successor of the earlier tokens if that is greater. */
  next(resources: readonly string[], proposal: number): number {
    return Math.max(proposal, ...resources.map((resource) => this.#next(resource)));
  }

  /** Returns the first token for a claim that has the resources already: the first token of its vote, or the proposal if that is greater. */
  again({ resources, tokens }: Tokens, proposal: number): number {
    return Math.max(proposal, ...resources.map((resource) => this.#next(resource) - tokens));
  }

  /**
   * Returns the first token for the next waiter in line, which proposes none: the successor of the last token. If that
   * counter is old, as after a restart with an old file, it is a number that was not reached before the restart, in steps so great that
   * nodes agree on them.
   */
  successor(resource: string): number {
    const [now, step] = [Math.round(this.wall() * 1_000), this.maxTtl * 250];
    return Math.max(this.#next(resource), Math.ceil((now - 2 * step) / step) * step);
  }

  /** Counts the tokens of a claim, of which `first` is the first, as given away. */
  take({ resources, tokens }: Tokens, first: number): void {
    for (const resource of resources) this.raise(resource, first + tokens - 1);
  }

  raise(resource: string, token: number): void {
    if ((this.get(resource) ?? 0) < token) this.#counters.set(counterOf(resource), token);
  }

  /** Returns the ms by which a proposal is off the node's clock if that is too far, else 0: a wrong clock could raise the counters of others. */
  apart(proposal: number): number {
    const apart = Math.abs(proposal / 1_000 - this.wall());
    return proposal > 0 && apart > this.maxTtl / 2 ? apart : 0;
  }

  /** Returns the ms by which a first token is ahead of the clock if that is too far, else 0: a node without its memory starts at its clock. */
  ahead(first: number): number {
    const ahead = first / 1_000 - this.wall();
    return ahead > this.maxTtl / 2 ? ahead : 0;
  }

  snapshot(): ReadonlyMap<string, number> {
    return new Map(this.#counters);
  }

  restore(counters: ReadonlyMap<string, number>): void {
    this.#counters = new Map(counters);
  }

  #next(resource: string): number {
    return (this.get(resource) ?? 0) + 1;
  }
}
