import { counterOf, TOKENS_PER_VOTE } from '../core/fencing.js';

/** The fence counters of a node in memory, which outlive all locks; a few resources share each of them. */
export class MemoryFences {
  #counters = new Map<string, number>();

  constructor(
    private readonly wall: () => number,
    private readonly maxTtl: number,
  ) {}

  get(resource: string): number | undefined {
    return this.#counters.get(counterOf(resource));
  }

  /** Above all earlier ones, and what the client proposes where that is. */
  mint(resources: readonly string[], proposal: number): number {
    return this.#set(resources, Math.max(proposal, ...resources.map((resource) => this.#next(resource))));
  }

  /**
   * For whoever is next in line, who proposes nothing: the successor of what was there; and where that is old, as after a restart
   * with an old file, what was not reached before the restart, in steps so great that nodes agree on them.
   */
  succeed(resource: string): number {
    const [now, step] = [Math.round(this.wall() * 1_000), this.maxTtl * 250];
    return this.#set([resource], Math.max(this.#next(resource), Math.ceil((now - 2 * step) / step) * step));
  }

  /** For somebody who has the resources already: what was counted, lifted to what is proposed now. */
  lift(resources: readonly string[], proposal: number): number {
    const known = resources.map((resource) => this.get(resource) ?? 0);
    return this.#set(resources, Math.max(proposal, ...known));
  }

  /** Ms by which a proposal is too far off the node's clock; a clock that was set could drag the counters of others with it. */
  apart(proposal: number): number {
    const apart = Math.abs(proposal / 1_000 - this.wall());
    return proposal > 0 && apart > this.maxTtl / 2 ? apart : 0;
  }

  raise(resource: string, token: number): void {
    if ((this.get(resource) ?? 0) < token) this.#set([resource], token);
  }

  snapshot(): ReadonlyMap<string, number> {
    return new Map(this.#counters);
  }

  restore(counters: ReadonlyMap<string, number>): void {
    this.#counters = new Map(counters);
  }

  #next(resource: string): number {
    const before = this.get(resource);
    return before === undefined ? 1 : before + TOKENS_PER_VOTE;
  }

  #set(resources: readonly string[], fence: number): number {
    for (const resource of resources) this.#counters.set(counterOf(resource), fence);
    return fence;
  }
}
