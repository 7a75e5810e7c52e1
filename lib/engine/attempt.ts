import type { Moment } from './clock.js';
import type { Denied } from './denied.js';
import {
  type AcquireOperation,
  type Answer,
  nextValueOf,
  type OpenedByVote,
  type Operation,
  type ReleaseOperation,
} from './lock-node.js';
import type { Pool } from './pool.js';

/**
 * One question to all nodes under a new value, or a deposit under a new value. The value is dead once any node was asked to release the value.
 */
export class Attempt {
  /** How many nodes have voted. */
  votes = 0;
  /** The record that the votes open, for the caller that asked. */
  opens: OpenedByVote | undefined;
  /** The fencing token that was asked for; undefined for a deposit. */
  proposal: number | undefined;
  /** By node: its answer, or a vote that came unasked. */
  readonly answers: (Answer | undefined)[];
  /** How many nodes have answered without a vote. */
  refusals = 0;
  /** How many fencing tokens a vote takes. It does not change once the value was sent. */
  count = 1;
  /** Microseconds: the arrival of the oldest process that waits elsewhere. */
  oldest = Infinity;
  /** The fencing token: the greatest of the votes that decided. A later vote does not change it. */
  token = 0;
  isSent = false;
  /** Whether the votes have decided: later votes make no difference. If a quorum has voted, the token is agreed on next. */
  isDecided = false;
  /** Whether it failed. Then its votes go back (`isGivenBack`), and the callers get the reason once enough nodes have answered (`isAnnounced`). */
  isDenied = false;
  isGivenBack = false;
  isAnnounced = false;
  /** Why it failed, as the callers know it. */
  denial: Denied | undefined;
  /** Whether nodes that deny it keep a deposit of the next value; false once the deposit has an `Attempt` of its own. */
  leavesDeposit = false;
  /** Whether it began as a deposit, for which nodes may have voted unasked. */
  wasDeposit = false;

  constructor(
    names: readonly string[],
    readonly value: string,
    readonly ttl: number,
    /** The moment before the question, or the deposit, was queued. The lease counts from here. */
    public since: Moment,
  ) {
    this.answers = names.map(() => undefined);
  }

  /** Begins anew under the same value. Votes that have come unasked are answered again. */
  begin(now: Moment, count: number): void {
    this.count = count;
    this.votes = 0;
    this.answers.fill(undefined);
    this.refusals = 0;
    this.oldest = Infinity;
    this.since = now;
    this.wasDeposit = this.isSent;
    this.isSent = false;
  }

  note(node: number, answer: Answer): void {
    const hasVoted = this.answers[node]?.kind === 'granted';
    this.answers[node] = answer;
    if (answer.kind !== 'granted') this.refusals += 1;
    else if (!hasVoted) this.votes += 1;
    if (answer.kind === 'granted' && answer.oldest !== undefined) this.oldest = Math.min(this.oldest, answer.oldest);
  }

  /** Returns how many votes have opened the record under the token of the attempt. */
  get opened(): number {
    return this.answers.filter((answer) => answer?.kind === 'granted' && answer.isOpened && answer.token === this.token)
      .length;
  }

  /** A quorum has voted. */
  decide(): void {
    this.isDecided = true;
    for (const answer of this.answers) if (answer?.kind === 'granted') this.token = Math.max(this.token, answer.token);
  }

  /** Whether the work is done: nodes with a record of it give no place. A node that answers later may give one, whose vote goes back when it comes. */
  get isDone(): boolean {
    return (
      !this.wasDeposit &&
      this.denial?.kind === 'recorded' &&
      this.answers.every((answer) => (answer?.kind ?? 'recorded') === 'recorded')
    );
  }

  /** Returns whether a node has voted, or may have: a node with a record does not say that it has voted for the deposit before. */
  get mayHaveVotes(): boolean {
    const { answers, wasDeposit } = this;
    return (
      this.votes > 0 ||
      answers.some(
        (answer) => (answer?.kind === 'unknown' && answer.sent) || (wasDeposit && answer?.kind === 'recorded'),
      )
    );
  }
}

/**
 * How many fencing tokens a vote takes if several callers of a process want the lock: one for the first caller, and the others for later callers of
 * this process. A vote for a single caller takes one token, because unused tokens let the counters run ahead of the clock of the node.
 */
const MOST_TOKENS = 64;

/** What an attempt needs to know of the caller that it is for. */
interface AttemptCaller {
  readonly ttl: number;
  readonly isTry: boolean;
  readonly opens: OpenedByVote | undefined;
}

/** Ms for which a queue remembers that several callers wanted the resource at once. */
const CROWDED = 1_000;

/** The attempts of one queue: the latest one, and the deposit that the nodes keep for the next one. Each has a value of its own. */
export class Attempts {
  latest: Attempt | undefined;
  /** The deposit, once it was made. @see deposit */
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

  /** Begins the next attempt for a caller, under the value of the deposit if there is one for the ttl. A single attempt has no place, and no deposit. */
  begin(caller: AttemptCaller, isCrowded: boolean): Attempt {
    const next = this.deposit();
    if (next !== undefined && caller.isTry) this.drop(next, 'leave');
    else if (next !== undefined && next.ttl !== caller.ttl) this.drop(next);
    const now = this.pool.clock.now();
    const attempt = this.#next ?? this.#new(caller.ttl, now);
    attempt.begin(now, this.#count(isCrowded, now));
    attempt.leavesDeposit = !caller.isTry;
    attempt.opens = caller.opens;
    // The nodes derive the value of the deposit from the value of this attempt, so its number is taken.
    if (attempt.leavesDeposit) this.#serial += 1;
    this.latest = attempt;
    this.#next = undefined;
    return attempt;
  }

  /** A quorum has voted for the deposit: it is the latest attempt now. */
  promote(next: Attempt): void {
    this.latest = next;
    this.#next = undefined;
  }

  /** Notes that several callers want the resource: each vote then takes many tokens. This includes a question that is not encoded yet. */
  crowd(): void {
    this.#crowdedAt = this.pool.clock.now().monotonic;
    for (const attempt of [this.latest, this.#next]) if (attempt?.isSent === false) attempt.count = MOST_TOKENS;
  }

  /**
   * Returns the attempt that nodes may vote for unasked: the next value of the latest attempt, with the same ttl. The object is made when somebody
   * asks for it, since most attempts win at once and leave no deposit.
   */
  deposit(): Attempt | undefined {
    const { latest } = this;
    if (this.#next !== undefined || latest === undefined || !latest.leavesDeposit) return this.#next;
    latest.leavesDeposit = false;
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
    const { value, ttl, count, opens } = attempt;
    attempt.isSent = true;
    attempt.proposal = proposal;
    if (this.#next !== undefined) this.#next.isSent = true;
    return { kind: 'acquire', resource: this.resource, value, ttl, count, arrival, proposal, opens };
  }

  /** Gives the value of a deposit back: it is dead. */
  drop(next: Attempt, what: ReleaseOperation['what'] = 'stay'): void {
    if (this.#next === next) this.#next = undefined;
    this.release(next.value, what);
  }

  /** Leaves the queues of the nodes, and gives the deposit back. */
  leave(): void {
    this.release(this.deposit()?.value ?? '', 'leave');
  }

  /** Nobody waits for the answers of the latest attempt any more: its value is dead. */
  abandon(): void {
    const { latest } = this;
    if (latest === undefined) return;
    latest.isDecided = latest.isDenied = latest.isAnnounced = true;
    this.release(latest.value, 'leave');
    this.withdrawRecord(latest);
  }

  /** Takes back the record that the votes of an attempt have opened: its caller does not run, and a later caller must not take it for interrupted. */
  withdrawRecord({ opens, value, proposal }: Attempt): void {
    const { resource } = this;
    if (opens !== undefined && proposal !== undefined)
      this.#ask(() => ({ kind: 'clear', resource, value, token: proposal, isWithdrawn: true }));
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
    const next = (this.#next ??= this.deposit() ?? this.#counted(ttl, isCrowded));
    this.#ask((proposal) => {
      next.isSent = true;
      const deposit = { value: next.value, ttl: next.ttl, count: next.count, proposal };
      return { ...this.pool.releaseOf(this.resource, value, 'stay'), place: { arrival, deposit } };
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
