import type { Claim } from '../core/port/claim.js';
import { counterOf } from '../core/port/fencing.js';
import type { Question } from '../core/port/lock-node.js';

/** The fence counters of a node in memory, which outlive all locks; a few resources share each of them. */
export class MemoryFences {
  /** The last token that was given away. */
  #counters = new Map<string, number>();

  constructor(
    private readonly wall: () => number,
    private readonly maxTtl: number,
  ) {}

  get(resource: string): number | undefined {
    return this.#counters.get(counterOf(resource));
  }

  /** The first of the tokens that come with a vote, new or for somebody who has the resources already. */
  first({ claim, proposal }: Pick<Question<never>, 'claim' | 'proposal'>, isOurs: boolean): number {
    return isOurs ? this.again(claim, proposal) : this.next(claim.resources, proposal);
  }

  /** The first token of a new vote: above all earlier ones, and what the client proposes where that is. */
  next(resources: readonly string[], proposal: number): number {
    return Math.max(proposal, ...resources.map((resource) => this.#next(resource)));
  }

  /** For somebody who has the resources already: what that came with, lifted to what is proposed now. */
  again({ resources, tokens }: Pick<Claim, 'resources' | 'tokens'>, proposal: number): number {
    return Math.max(proposal, ...resources.map((resource) => this.#next(resource) - tokens));
  }

  /**
   * For the next in line, which proposes nothing: the successor of what was there; and where that is old, as after a restart
   * with an old file, what was not reached before the restart, in steps so great that nodes agree on them.
   */
  successor(resource: string): number {
    const [now, step] = [Math.round(this.wall() * 1_000), this.maxTtl * 250];
    return Math.max(this.#next(resource), Math.ceil((now - 2 * step) / step) * step);
  }

  /** Counts so many tokens, of which this is the first. */
  take({ resources, tokens }: Pick<Claim, 'resources' | 'tokens'>, first: number): void {
    for (const resource of resources) this.raise(resource, first + tokens - 1);
  }

  raise(resource: string, token: number): void {
    if ((this.get(resource) ?? 0) < token) this.#counters.set(counterOf(resource), token);
  }

  /** Ms by which a proposal is too far off the node's clock; a clock that was set could drag the counters of others with it. */
  apart(proposal: number): number {
    const apart = Math.abs(proposal / 1_000 - this.wall());
    return proposal > 0 && apart > this.maxTtl / 2 ? apart : 0;
  }

  /** Ms by which a first token is too far ahead of the clock, by which the counter would begin if the node lost its memory. */
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
