import { Agenda } from './agenda.js';
import { Aside } from './aside.js';
import { Ballot, type BallotTerms } from './ballot.js';
import type { Claim } from './claim.js';
import type { Clock, Moment } from './clock.js';
import type { LockListener } from './events.js';
import { proposalAt } from './fencing.js';
import { KeptClaims } from './kept-claims.js';
import type { AcquireAnswer, ExtendAnswer, LockNode, ProbeAnswer, RaiseAnswer, ReleaseAnswer } from './lock-node.js';
import { QuorumWatch } from './quorum-watch.js';
import type { Random } from './random.js';
import { dateOnNodes } from './node-date.js';
import { refuseTwins, Twins } from './twins.js';

type Late<A> = (seat: number, answer: A) => void;

interface AskedWith<A> {
  readonly late?: Late<A>;
  readonly now: Moment;
}

export interface PoolSettings {
  readonly clock: Clock;
  readonly random: Random;
  /** Ms a node may take to answer. @default ttl / 20, at least 5 and at most 50 */
  readonly nodeTimeout?: number | undefined;
}

const acquire: BallotTerms<AcquireAnswer>['put'] = (node, question, seat) => node.acquire(question, seat);
const extend: BallotTerms<ExtendAnswer>['put'] = (node, question, seat) => node.extend(question, seat);
const release: BallotTerms<ReleaseAnswer>['put'] = (node, question, seat) => node.release(question, seat);

/** The N independent masters together: each verb goes to all of them at once. */
export class NodePool {
  readonly clock: Clock;
  readonly random: Random;
  readonly noAnswers: readonly undefined[];
  /** The one timer of everything that this pool does later. */
  readonly agenda: Agenda;
  readonly #nodeTimeout: number | undefined;
  readonly #kept = new KeptClaims(this);

  constructor(
    readonly nodes: readonly LockNode[],
    { clock, random, nodeTimeout }: PoolSettings,
  ) {
    this.clock = clock;
    this.random = random;
    this.noAnswers = nodes.map(() => undefined);
    this.agenda = new Agenda(clock);
    this.#nodeTimeout = nodeTimeout;
  }

  /**
   * Connects to every node; resolves once each has answered or failed once.
   * @throws TypeError where two addresses lead to one server
   */
  async open(listener: LockListener): Promise<void> {
    const twins = new Twins(({ name }, reason) => listener({ type: 'node-warning', node: name, reason }));
    const quorum = new QuorumWatch(this.nodes.length, listener);
    const tell: LockListener = (event) => {
      listener(event);
      quorum.note(event);
    };
    let isOpen = false;
    await Promise.all(
      this.nodes.map((node) =>
        node.open(
          (event) => tell({ ...event, node: node.name }),
          () => isOpen && twins.note(node),
        ),
      ),
    );
    try {
      refuseTwins(this.nodes);
    } catch (error) {
      await this.close();
      throw error;
    }
    isOpen = true;
    for (const node of this.nodes) twins.note(node);
    quorum.opened();
  }

  async close(): Promise<void> {
    this.#kept.close();
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** A moment as a date on the clocks of the nodes, ms. */
  dateOf(moment: Moment): number {
    return dateOnNodes(moment, this.nodes);
  }

  /** The seat of a node, by which ballots know it. */
  seatOf(node: string): number {
    return this.nodes.findIndex(({ name }) => name === node);
  }

  /** Ms a node may take to answer: a small part of the lease, so that a silent node cannot use it up (Redis page). */
  timeoutFor(ttl: number): number {
    return this.#nodeTimeout ?? Math.min(50, Math.max(5, Math.ceil(ttl / 20)));
  }

  acquire(claim: Claim, ttl: number, { late, now }: AskedWith<AcquireAnswer>): Ballot<AcquireAnswer> {
    const timeout = this.timeoutFor(ttl);
    const ballot = new Ballot<AcquireAnswer>(this, {
      claim,
      ttl,
      proposal: proposalAt(now),
      timeout,
      now,
      put: acquire,
      favour: 'granted',
      late,
    });
    claim.asked();
    return ballot;
  }

  extend(claim: Claim, ttl: number, late: Late<ExtendAnswer>): Ballot<ExtendAnswer> {
    const timeout = this.timeoutFor(ttl);
    return new Ballot<ExtendAnswer>(this, {
      claim,
      ttl,
      proposal: 0,
      timeout,
      now: undefined,
      put: extend,
      favour: 'extended',
      late,
    });
  }

  /** Ends a lease: a release, or, until its `minHold` is over, a promise of one. */
  giveBack(...lease: Parameters<KeptClaims['giveBack']>): ReturnType<KeptClaims['giveBack']> {
    return this.#kept.giveBack(...lease);
  }

  release(claim: Claim, ttl: number, now?: Moment): Ballot<ReleaseAnswer> {
    const timeout = this.timeoutFor(ttl);
    // So that the counters of all nodes agree again when the next one comes.
    if (claim.diverged) this.nodes.forEach((_, seat) => this.raise(claim, seat));
    // Of the same shape as the others, which makes it quick to read.
    const ballot = new Ballot<ReleaseAnswer>(this, {
      claim,
      ttl,
      proposal: 0,
      timeout,
      now,
      put: release,
      favour: undefined,
      late: undefined,
    });
    if (claim.parts) this.#releaseParts(claim.parts, ttl);
    return ballot;
  }

  /** Takes the parts out of the lines, too, of nodes that had not come to them yet. */
  #releaseParts(parts: readonly Claim[], ttl: number): void {
    for (const part of parts) this.nodes.forEach((node, seat) => node.release(new Aside(part, ttl), seat));
  }

  /** Lifts the fence counters of one node to all that the claim has of tokens, by its own or by one that is likely to become it. */
  raise(
    claim: Claim,
    seat: number,
    told?: { readonly token: number; readonly tokens: number; readonly answered: (answer: RaiseAnswer) => void },
  ): void {
    const question = new Aside<RaiseAnswer>(claim, 0, told?.answered);
    const { token, tokens } = told ?? claim;
    question.proposal = token + tokens - 1;
    this.nodes[seat]!.raise(question, seat);
  }

  probe(timeout: number): Promise<ProbeAnswer[]> {
    return Promise.all(this.nodes.map((node) => this.#probe(node, timeout)));
  }

  #probe(node: LockNode, timeout: number): Promise<ProbeAnswer> {
    return new Promise((resolve) => {
      const silence: ProbeAnswer = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
      const stopTimer = this.clock.schedule(timeout, () => this.clock.afterInput(() => resolve(silence)));
      node.probe((answer) => {
        stopTimer();
        resolve(answer);
      });
    });
  }
}
