import type { Moment } from './clock.js';
import type { Answer } from './lock-node.js';

/**
 * One question to all nodes under one new value, or the deposit of one. The value is dead as soon as any node was asked to release it.
 */
export class Attempt {
  /** How many nodes have voted. */
  votes = 0;
  /** By node: the first token of its vote. */
  readonly tokens: (number | undefined)[];
  /** By node: its latest answer. */
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
  /** Whether the votes have decided. Later votes make no difference. */
  isDecided = false;
  isDenied = false;
  isGivenBack = false;
  /** Whether the answers have told why it was denied, and the callers have heard so. */
  isJudged = false;
  /** Whether the nodes that denied it keep a deposit of the next value. */
  hasDeposit = false;

  constructor(
    names: readonly string[],
    readonly value: string,
    readonly ttl: number,
    /** The moment before the question, or the deposit, was queued. The lease counts from here. */
    public since: Moment,
  ) {
    this.tokens = names.map(() => undefined);
    this.answers = names.map(() => undefined);
  }

  /** Begins anew under the same value. Votes that have come unasked are answered again. */
  begin(now: Moment, count: number): void {
    this.count = count;
    this.votes = 0;
    this.tokens.fill(undefined);
    this.answers.fill(undefined);
    this.refusals = 0;
    this.oldest = Infinity;
    this.since = now;
    this.isSent = false;
  }

  note(node: number, answer: Answer): void {
    this.answers[node] = answer;
    if (answer.kind === 'granted') this.vote(node, answer.token, answer.oldest);
    else this.refusals += 1;
  }

  vote(node: number, token: number, oldest: number | undefined): void {
    if (this.tokens[node] === undefined) this.votes += 1;
    this.tokens[node] = token;
    if (oldest !== undefined && oldest < this.oldest) this.oldest = oldest;
  }

  /** A quorum has voted. */
  decide(): void {
    this.isDecided = true;
    for (const token of this.tokens) if (token !== undefined && token > this.token) this.token = token;
  }

  /** Returns whether a node has voted, or may have. */
  get mayHaveVotes(): boolean {
    return this.votes > 0 || this.answers.some((answer) => answer?.kind === 'unknown' && answer.sent);
  }
}
