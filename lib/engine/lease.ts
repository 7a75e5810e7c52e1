import type { Attempt } from './attempt.js';
import { ageOfLease, driftOf, type Clock, type Moment } from './clock.js';
import type { Answer, OpenedByVote } from './lock-node.js';
import { DEFAULT_LOCK_OPTIONS } from './options.js';
import type { Pool } from './pool.js';
import { outcomesOf, type Answers, type Denied } from './denied.js';

/** What became of an extension. */
export type Extension =
  | { readonly kind: 'extended' }
  /** A quorum of nodes no longer has the lock. */
  | { readonly kind: 'gone'; readonly why: string }
  /** Too few nodes answered: what is left of the lease still stands. */
  | { readonly kind: 'unproven'; readonly answers: Answers };

/** The lock of this process on the nodes. It passes from caller to caller, each of which has a fencing token of its own. */
export class Lease {
  readonly value: string;
  /** The token of the caller that has the lease now. */
  token: number;
  /** Ms that it lasts by the latest extension. */
  ttl: number;
  /** Microseconds on the clock of the nodes: the lease may pass to callers that came no later. */
  passUntil = 0;
  /** Whether an extension took the nodes so long that another one is no use. */
  isSlow = false;
  /** Ms that it lasts on the nodes at most: a shorter extension does not shorten it there. */
  #longestTtl: number;
  #since: Moment;
  #tokensLeft: number;
  #passes = 0;
  /** Extensions that wait for the one under way; undefined if none is. */
  #laterExtensions: (() => void)[] | undefined;
  /** The record that a quorum of votes has opened under the first token. */
  opened: OpenedByVote | undefined;
  /** Why it is lost, if a quorum of nodes said that they no longer have it. */
  gone: string | undefined;
  /** Whether it was released: nothing may send its value to a node any more. */
  #isOver = false;

  constructor(
    private readonly pool: Pool,
    readonly resource: string,
    attempt: Attempt,
    private readonly driftFactor = DEFAULT_LOCK_OPTIONS.driftFactor,
  ) {
    this.value = attempt.value;
    this.token = attempt.token;
    this.ttl = this.#longestTtl = attempt.ttl;
    this.#since = attempt.since;
    this.#tokensLeft = attempt.count - 1;
    this.opened = attempt.opened >= pool.quorum ? attempt.opens : undefined;
  }

  /** Whether it has passed from one caller of this process to another. */
  get hasPassed(): boolean {
    return this.#passes > 0;
  }

  /** The moment from which the lease counts. */
  get since(): Moment {
    return this.#since;
  }

  get clock(): Clock {
    return this.pool.clock;
  }

  /** Ms for which the lease is still provably ours; zero or less once it has expired. */
  get remaining(): number {
    return this.remainingAt(this.clock.now());
  }

  remainingAt(now: Moment): number {
    if (this.gone !== undefined) return 0;
    return this.ttl - driftOf(this.ttl, this.driftFactor) - ageOfLease(this.#since, now);
  }

  /** Why another caller of this process has no lock now. */
  get denial(): Denied {
    const remaining = Math.max(0, Math.ceil(this.remaining));
    const nodes = this.pool.names.map((node) => ({ node, outcome: 'held', detail: `${remaining} ms left` }) as const);
    return { kind: 'contended', nodes, retryAfter: remaining, owner: this.value };
  }

  /** Returns whether the lease is what a caller asks for. */
  fits({ ttl, driftFactor }: { readonly ttl: number; readonly driftFactor: number }): boolean {
    return ttl === this.ttl && driftFactor === this.driftFactor;
  }

  /** Takes the next token for the next caller of this process; false if there is none, or the lease was extended to another ttl. */
  pass(): boolean {
    if (this.#tokensLeft < 1 || this.#longestTtl !== this.ttl) return false;
    this.#tokensLeft -= 1;
    this.#passes += 1;
    this.opened = undefined;
    this.token += 1;
    return true;
  }

  /** Takes back the record that the votes have opened, if there is one: the caller that it was for does not run. */
  withdrawRecord(): void {
    if (this.opened === undefined) return;
    this.opened = undefined;
    const { pool, resource, value, token } = this;
    pool.ask({
      timeout: pool.timeoutFor(this.ttl),
      operation: () => ({ kind: 'clear', resource, value, token, isWithdrawn: true }),
      heard: () => undefined,
    });
  }

  /** Extends the lease for the next caller. */
  renew(done: (isRenewed: boolean) => void = () => undefined): void {
    this.extend(this.ttl, ({ kind }) => done(kind === 'extended'));
  }

  /** Extends the lease to `ttl` ms from now; one extension at a time. A lease that ends before the confirmation stays over. */
  extend(ttl: number, done: (extension: Extension) => void): void {
    if (this.#laterExtensions !== undefined) return void this.#laterExtensions.push(() => this.extend(ttl, done));
    const since = this.clock.now();
    if (this.#isOver || this.remainingAt(since) <= 0) return done({ kind: 'unproven', answers: [] });
    const later: (() => void)[] = (this.#laterExtensions = []);
    this.#longestTtl = Math.max(this.#longestTtl, ttl);
    this.#shorten(ttl, since);
    this.#ask(ttl, false, (extension) => {
      this.#laterExtensions = undefined;
      done(this.#confirmed(extension, ttl, since));
      for (const begin of later) begin();
    });
  }

  /** Gives the lease back on all nodes; calls `done` once a quorum has answered, or all have. */
  giveBack(what: 'leave' | 'followed', done: () => void): void {
    this.#isOver = true;
    const { pool } = this;
    let answers = 0;
    let left = pool.nodes.length;
    pool.ask({
      timeout: pool.timeoutFor(this.ttl),
      operation: () => ({ ...pool.releaseOf(this.resource, this.value, what), ttl: this.#longestTtl }),
      heard: (_node, { kind }) => {
        left -= 1;
        if (kind === 'released' || kind === 'gone') answers += 1;
        if (answers === pool.quorum || (left === 0 && answers < pool.quorum)) done();
      },
    });
  }

  /** Keeps the resource for `remaining` ms more, and no longer, under a value that nobody releases. */
  keep(remaining: number, done: () => void): void {
    this.#isOver = true;
    this.#ask(remaining, true, () => done());
  }

  /** Raises the token to that of the other resources of the same lock; false if no quorum confirms it. */
  raise(token: number): Promise<boolean> {
    this.#tokensLeft = 0;
    if (token === this.token) return Promise.resolve(true);
    const { pool } = this;
    let raised = 0;
    let left = pool.nodes.length;
    return new Promise((resolve) =>
      pool.ask({
        timeout: pool.timeoutFor(this.ttl),
        operation: () => ({ kind: 'raise', resource: this.resource, value: this.value, token }),
        heard: (_node, { kind }) => {
          left -= 1;
          if (kind === 'raised') raised += 1;
          if (raised === pool.quorum) this.token = token;
          if (raised === pool.quorum || left === 0) resolve(raised >= pool.quorum);
        },
      }),
    );
  }

  /** A shorter lease counts at once for this process: nodes may apply it while no quorum answers. */
  #shorten(ttl: number, since: Moment): void {
    const left = ttl - driftOf(ttl, this.driftFactor);
    if (left >= this.remainingAt(since)) return;
    this.ttl = ttl;
    this.#since = since;
  }

  #confirmed(extension: Extension, ttl: number, since: Moment): Extension {
    if (extension.kind === 'gone') this.gone = extension.why;
    if (extension.kind !== 'extended') return extension;
    if (this.remaining <= 0) return { kind: 'unproven', answers: [] };
    this.ttl = ttl;
    this.#since = since;
    return extension;
  }

  #ask(ttl: number, isKept: boolean, done: (extension: Extension) => void): void {
    const { pool } = this;
    const { names } = pool;
    const answers: (Answer | undefined)[] = Array.from({ length: names.length });
    const count = (...kinds: readonly Answer['kind'][]): number =>
      answers.filter((answer) => answer !== undefined && kinds.includes(answer.kind)).length;
    let isDone = false;
    pool.ask({
      timeout: pool.timeoutFor(ttl),
      operation: () => ({ kind: 'extend', resource: this.resource, value: this.value, ttl, isKept }),
      heard: (node, answer) => {
        answers[node] = answer;
        const pending = answers.filter((one) => one === undefined).length;
        if (pending === 0 && count('extended') >= pool.quorum && count('missing') > 0) this.#heal();
        if (isDone) return;
        if (count('extended') >= pool.quorum) done({ kind: 'extended' });
        else if (count('missing', 'taken') > names.length - pool.quorum)
          done({ kind: 'gone', why: goneBy(names, answers) });
        else if (count('extended') + pending < pool.quorum) done({ kind: 'unproven', answers });
        else return;
        isDone = true;
      },
    });
  }

  /** Wins back nodes that have lost the key. They count from the next extension on. */
  #heal(): void {
    if (this.#isOver) return;
    const { pool } = this;
    pool.ask({
      timeout: pool.timeoutFor(this.ttl),
      operation: (proposal) => ({
        kind: 'acquire',
        resource: this.resource,
        value: this.value,
        ttl: this.ttl,
        count: 1,
        proposal,
      }),
      heard: () => undefined,
    });
  }
}

function goneBy(names: readonly string[], answers: Answers): string {
  const parts = outcomesOf(names, answers)
    .filter(({ outcome }) => outcome === 'missing' || outcome === 'taken')
    .map(({ node, outcome }) => `${node} ${outcome}`);
  return `${parts.length} of ${names.length} nodes no longer have it: ${parts.join(', ')}`;
}
