import { Attempt } from './attempt.js';
import type { Moment } from './clock.js';
import { MOST_TOKENS } from './fencing.js';
import { nextValueOf, type AcquireOperation, type Operation, type ReleaseOperation } from './lock-node.js';
import type { Pool } from './pool.js';

/** Ms for which a queue remembers that several callers wanted the resource at once. */
const CROWDED = 1_000;

/** The attempts of one queue: the latest one, and the deposit that the nodes keep for the next one. Each has a value of its own. */
export class Attempts {
  latest: Attempt | undefined;
  /** The deposit, once somebody looked at it. @see deposit */
  #next: Attempt | undefined;
  /** The number of the latest value. */
  #serial = 0;
  #crowdedAt = -Infinity;

  constructor(
    private readonly pool: Pool,
    private readonly resource: string,
    /** What all values begin with. */
    private readonly base: string,
  ) {}

  /** Begins the next attempt for a caller, under the value of the deposit if there is one for the ttl. A single attempt leaves no deposit. */
  begin(caller: { readonly ttl: number; readonly isTry: boolean }, isCrowded: boolean): Attempt {
    const next = this.deposit;
    if (next !== undefined && next.ttl !== caller.ttl) this.drop(next);
    const now = this.pool.clock.now();
    const attempt = this.#next ?? this.#new(caller.ttl, now);
    attempt.begin(now, this.#count(isCrowded, now));
    attempt.hasDeposit = !caller.isTry;
    if (attempt.hasDeposit) this.#serial += 1;
    this.latest = attempt;
    this.#next = undefined;
    return attempt;
  }

  /** A quorum has voted for the deposit: it is the latest attempt now. */
  promote(next: Attempt): void {
    this.latest = next;
    this.#next = undefined;
  }

  /** Several callers want the resource, so votes take tokens for many. That holds also for the question of this turn, which is not encoded yet. */
  crowd(): void {
    this.#crowdedAt = this.pool.clock.now().monotonic;
    for (const attempt of [this.latest, this.#next]) if (attempt?.isSent === false) attempt.count = MOST_TOKENS;
  }

  /** What nodes may vote for unasked: the next value of the latest attempt, as it was asked for. */
  get deposit(): Attempt | undefined {
    const { latest } = this;
    if (this.#next !== undefined || latest === undefined || !latest.hasDeposit) return this.#next;
    latest.hasDeposit = false;
    this.#next = new Attempt(this.pool.names, nextValueOf(latest.value), latest.ttl, latest.since);
    this.#next.count = latest.count;
    this.#next.isSent = latest.isSent;
    return this.#next;
  }

  /** The deposit if votes have come for it. */
  get votedDeposit(): Attempt | undefined {
    return this.#next !== undefined && this.#next.votes > 0 ? this.#next : undefined;
  }

  operation(attempt: Attempt, arrival: number | undefined, proposal: number): AcquireOperation {
    const { value, ttl, count } = attempt;
    attempt.isSent = true;
    return { kind: 'acquire', resource: this.resource, value, ttl, count, arrival, proposal };
  }

  /** Gives the value of a deposit back: it is dead. */
  drop(next: Attempt): void {
    if (this.#next === next) this.#next = undefined;
    this.release(next.value, 'nothing');
  }

  /** Leaves the queues of the nodes, and gives the deposit back. */
  leave(): void {
    this.release(this.deposit?.value ?? '', 'leave');
  }

  /** Nobody waits for the answers of the latest attempt any more: its value is dead. */
  abandon(): void {
    const { latest } = this;
    if (latest === undefined) return;
    latest.isDecided = latest.isDenied = latest.isJudged = true;
    this.release(latest.value, 'leave');
  }

  /** Releases a value on all nodes. */
  release(value: string, what: ReleaseOperation['what']): void {
    this.#ask(() => this.pool.releaseOf(this.resource, value, what));
  }

  /** Releases a value, and takes the place of this process in the queues of the nodes again, never without a deposit. */
  releaseAndStand(
    value: string,
    { ttl, arrival }: { readonly ttl: number; readonly arrival: number },
    isCrowded: boolean,
  ): void {
    const next = (this.#next ??= this.deposit ?? this.#counted(ttl, isCrowded));
    this.#ask((proposal) => {
      next.isSent = true;
      const deposit = { value: next.value, ttl: next.ttl, count: next.count, proposal };
      return { ...this.pool.releaseOf(this.resource, value, 'nothing'), place: { arrival, deposit } };
    });
  }

  #ask(operation: (date: number) => Operation): void {
    this.pool.ask({ timeout: this.pool.timeoutFor(this.pool.maxTtl), operation, heard: () => undefined });
  }

  #counted(ttl: number, isCrowded: boolean): Attempt {
    const now = this.pool.clock.now();
    const attempt = this.#new(ttl, now);
    attempt.count = this.#count(isCrowded, now);
    return attempt;
  }

  #new(ttl: number, now: Moment): Attempt {
    this.#serial += 1;
    return new Attempt(this.pool.names, `${this.base}.${this.#serial}`, ttl, now);
  }

  #count(isCrowded: boolean, now: Moment): number {
    return isCrowded || now.monotonic - this.#crowdedAt < CROWDED ? MOST_TOKENS : 1;
  }
}
