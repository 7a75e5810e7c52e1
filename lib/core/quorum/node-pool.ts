import { TimerQueue } from '../time/timer-queue.js';
import { SingleCall } from '../port/single-call.js';
import { QuorumCall, type QuorumCallTerms } from './quorum-call.js';
import type { Clock, Moment } from '../time/clock.js';
import type { LockListener } from '../api/events.js';
import { proposalAt } from '../port/fencing.js';
import type { AcquireAnswer, ExtendAnswer, LockNode, RaiseAnswer, ReleaseAnswer } from '../port/lock-node.js';
import { QuorumWatch } from './quorum-watch.js';
import type { Random } from '../collections/random.js';
import { dateOnNodes } from '../port/node-date.js';
import { refuseDuplicateServers, DuplicateServers } from './duplicate-servers.js';
import type { OwnClaim } from './own-claim.js';
import { WarningThrottle } from './warning-throttle.js';

type Late<A> = (nodeIndex: number, answer: A) => void;

interface AskedWith<A> {
  readonly late?: Late<A>;
  readonly now: Moment;
  /** True if no node was asked for the claim before. */
  readonly isFirst: boolean;
}

export interface PoolSettings {
  readonly clock: Clock;
  readonly random: Random;
  /** Ms that a node may take to answer. @default ttl / 20, at least 5 and at most 50 */
  readonly nodeTimeout?: number | undefined;
  /** True if no channel tells of this pool. @default false */
  readonly isUnobserved?: boolean | undefined;
}

const acquire: QuorumCallTerms<AcquireAnswer>['put'] = (node, question, nodeIndex) => node.acquire(question, nodeIndex);
const extend: QuorumCallTerms<ExtendAnswer>['put'] = (node, question, nodeIndex) => node.extend(question, nodeIndex);
const release: QuorumCallTerms<ReleaseAnswer>['put'] = (node, question, nodeIndex) => node.release(question, nodeIndex);

/** All N independent masters together: each operation goes to all of them at once. */
export class NodePool {
  readonly clock: Clock;
  readonly random: Random;
  /** Runs everything that this pool does later, on a single timer. */
  readonly timerQueue: TimerQueue;
  readonly isUnobserved: boolean;
  /** Ms on the monotonic clock: since when calls have found no quorum; undefined while the latest one found one. */
  quorumMissingSince: number | undefined;
  readonly #nodeTimeout: number | undefined;

  constructor(
    readonly nodes: readonly LockNode[],
    { clock, random, nodeTimeout, isUnobserved = false }: PoolSettings,
  ) {
    this.clock = clock;
    this.random = random;
    this.timerQueue = new TimerQueue(clock);
    this.isUnobserved = isUnobserved;
    this.#nodeTimeout = nodeTimeout;
  }

  /**
   * Connects to every node; resolves once every node has answered or failed once.
   * @throws TypeError if two addresses lead to one server, and the other servers are no quorum
   */
  async open(listener: LockListener): Promise<void> {
    const warnings = new WarningThrottle(this.clock);
    const duplicates = new DuplicateServers(({ name }, reason) => notify({ type: 'node-warning', node: name, reason }));
    const quorum = new QuorumWatch(this.nodes.length, listener);
    const notify: LockListener = (event) => {
      if (event.type === 'node-warning' && !warnings.passes(event.node)) return;
      listener(event);
      quorum.note(event);
    };
    let isOpen = false;
    await Promise.all(
      this.nodes.map((node) =>
        node.open(
          (event) => notify({ ...event, node: node.name }),
          () => isOpen && duplicates.note(node),
        ),
      ),
    );
    try {
      refuseDuplicateServers(this.nodes);
    } catch (error) {
      await this.close();
      throw error;
    }
    isOpen = true;
    for (const node of this.nodes) duplicates.note(node);
    quorum.opened();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** Returns a moment as a date on the clocks of the nodes, ms. */
  dateOf(moment: Moment): number {
    return dateOnNodes(moment, this.nodes);
  }

  /** Returns the index by which quorum calls know a node. */
  nodeIndexOf(node: string): number {
    return this.nodes.findIndex(({ name }) => name === node);
  }

  /** Returns the ms that a node may take to answer: a small part of the lease, so that a silent node cannot use it up (Redis page). */
  timeoutFor(ttl: number): number {
    return this.#nodeTimeout ?? Math.min(50, Math.max(5, Math.ceil(ttl / 20)));
  }

  acquire(claim: OwnClaim, ttl: number, { late, now, isFirst }: AskedWith<AcquireAnswer>): QuorumCall<AcquireAnswer> {
    const proposal = proposalAt(now);
    const timeout = this.timeoutFor(ttl);
    return new QuorumCall<AcquireAnswer>(this, {
      claim,
      ttl,
      proposal,
      timeout,
      now,
      isFirst,
      late,
      yes: 'granted',
      put: acquire,
    });
  }

  extend(claim: OwnClaim, ttl: number, late: Late<ExtendAnswer>): QuorumCall<ExtendAnswer> {
    return this.#extend({ claim, ttl, late });
  }

  /** Makes a lease end in `ttl` ms, which may be sooner than without this call, because its holder has finished with the claim. */
  keep(claim: OwnClaim, ttl: number): QuorumCall<ExtendAnswer> {
    this.#levelCounters(claim);
    return this.#extend({ claim, ttl, mayShorten: true });
  }

  #extend(
    asked: Pick<QuorumCallTerms<ExtendAnswer>, 'claim' | 'ttl' | 'late' | 'mayShorten'>,
  ): QuorumCall<ExtendAnswer> {
    const [timeout, now] = [this.timeoutFor(asked.ttl), this.clock.now()];
    return new QuorumCall<ExtendAnswer>(this, { ...asked, proposal: 0, timeout, now, yes: 'extended', put: extend });
  }

  release(claim: OwnClaim, ttl: number, now = this.clock.now()): QuorumCall<ReleaseAnswer> {
    return this.#release({
      claim,
      ttl,
      proposal: 0,
      timeout: this.timeoutFor(ttl),
      now,
      put: release,
      isFollowed: false,
    });
  }

  /** Releases a claim without serving the lines of the nodes: another caller of this process asks for the resource in the same turn. */
  makeRoom(claim: OwnClaim, ttl: number, now: Moment): QuorumCall<ReleaseAnswer> {
    return this.#release({
      claim,
      ttl,
      proposal: 0,
      timeout: this.timeoutFor(ttl),
      now,
      put: release,
      isFollowed: true,
    });
  }

  #release(terms: QuorumCallTerms<ReleaseAnswer>): QuorumCall<ReleaseAnswer> {
    const { claim, ttl } = terms;
    this.#levelCounters(claim);
    const quorumCall = new QuorumCall<ReleaseAnswer>(this, terms);
    if (claim.parts) this.#releaseParts(claim.parts, ttl);
    return quorumCall;
  }

  /** Makes the counters of all nodes agree again before the next holder comes. */
  #levelCounters(claim: OwnClaim): void {
    if (claim.isDiverged) this.nodes.forEach((_, nodeIndex) => this.raise(claim, nodeIndex));
  }

  /** Releases each part as well: on a node that has not granted a part yet, the part still waits in the line. */
  #releaseParts(parts: readonly OwnClaim[], ttl: number): void {
    for (const part of parts)
      this.nodes.forEach((node, nodeIndex) => node.release(new SingleCall(part, ttl), nodeIndex));
  }

  /**
   * Raises the fence counters of one node to the last token of the claim. As long as the claim has no token, `pending` has the tokens that the
   * claim is likely to get.
   */
  raise(
    claim: OwnClaim,
    nodeIndex: number,
    pending?: { readonly token: number; readonly tokens: number; readonly answered: (answer: RaiseAnswer) => void },
  ): void {
    const question = new SingleCall<RaiseAnswer>(claim, 0, pending?.answered);
    const { token, tokens } = pending ?? claim;
    question.proposal = token + tokens - 1;
    question.tokens = claim.tokens;
    this.nodes[nodeIndex]!.raise(question, nodeIndex);
  }
}
