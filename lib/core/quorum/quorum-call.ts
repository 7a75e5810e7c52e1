import { TimedTask, type TimerQueue } from '../time/timer-queue.js';
import type { Clock, Moment } from '../time/clock.js';
import type { LockNode, Question, Unknown } from '../port/lock-node.js';
import type { OwnClaim } from './own-claim.js';
import { publishRequest, requests } from '../api/telemetry/channels.js';
import { verdict } from './quorum.js';

export type Decision = 'won' | 'denied';

interface Answer {
  readonly kind: string;
}

/** What a quorum call asks, and how its answers count. */
export interface QuorumCallTerms<A extends Answer> extends Omit<Question<A>, 'answer' | 'tokens'> {
  readonly claim: OwnClaim;
  /** Ms after which a missing answer counts as `unknown`. */
  readonly timeout: number;
  /** The current time. */
  readonly now: Moment;
  /** Puts the question to one node. */
  readonly put: (node: LockNode, question: Question<A>, nodeIndex: number) => void;
  /** The kind of answer that is a vote in favour. If it is undefined, every answer except `unknown` is one. */
  readonly yes?: A['kind'] | undefined;
  /** Called with every answer that comes after the decision; after a denial, also with `unknown` for each answer that is not in time. */
  readonly late?: ((nodeIndex: number, answer: A | Unknown) => void) | undefined;
}

/** The nodes that a quorum call asks, and the clock and timers that it uses. */
export interface CallContext {
  readonly nodes: readonly LockNode[];
  readonly clock: Clock;
  readonly timerQueue: TimerQueue;
  readonly isUnobserved?: boolean;
}

const DOUBTFUL: Unknown = {
  kind: 'unknown',
  reason: 'its vote does not count: a release of this vote is under way, or its clock was wrong',
  sent: true,
};

/** Puts one question to all nodes at once. The call is decided as soon as enough nodes have answered; it never waits for the slowest one. */
export class QuorumCall<A extends Answer> extends TimedTask implements Question<A> {
  /** By node index; undefined while the node has not answered. */
  readonly answers: (A | Unknown | undefined)[];
  readonly claim: OwnClaim;
  readonly ttl: number;
  readonly proposal: number;
  readonly tokens: number;
  readonly isFirst: boolean;
  readonly mayShorten: boolean;
  readonly isFollowed: boolean;
  /** Ms on the monotonic clock: when the question was put. */
  readonly asked: number;
  /** @see QuorumCallTerms.timeout */
  readonly timeout: number;
  readonly #yes: string | undefined;
  #onLate: QuorumCallTerms<A>['late'];
  #outcome: Decision | undefined;
  #onDecision: ((decision: Decision) => void) | undefined;
  #onComplete: (() => void) | undefined;
  #onHeard: (() => void) | undefined;
  #granted = 0;
  #refused = 0;
  #isCutShort = false;

  /** Copies the terms instead of keeping the object: a node that is slow to answer would keep everything alive that the object refers to. */
  constructor(
    private readonly context: CallContext,
    terms: QuorumCallTerms<A>,
  ) {
    super();
    const { nodes, timerQueue } = context;
    this.claim = terms.claim;
    this.ttl = terms.ttl;
    this.proposal = terms.proposal;
    this.tokens = terms.claim.tokens;
    this.isFirst = terms.isFirst === true;
    this.mayShorten = terms.mayShorten === true;
    this.isFollowed = terms.isFollowed === true;
    this.timeout = terms.timeout;
    this.#yes = terms.yes;
    this.#onLate = terms.late;
    this.answers = context.nodes.map(() => undefined);
    this.asked = terms.now.monotonic;
    timerQueue.add(terms.timeout, this, terms.now);
    for (let nodeIndex = 0; nodeIndex < nodes.length; nodeIndex += 1) terms.put(nodes[nodeIndex]!, this, nodeIndex);
  }

  get nodes(): readonly LockNode[] {
    return this.context.nodes;
  }

  get decision(): Promise<Decision> {
    return new Promise((resolve) => this.whenDecided(resolve));
  }

  /** Calls `notify` in the very turn of the event loop in which the call is decided. There can be one listener only. */
  whenDecided(notify: (decision: Decision) => void): void {
    if (this.#outcome) notify(this.#outcome);
    else this.#onDecision = notify;
  }

  /** Replaces the listener for late answers. */
  whenLate(late: (nodeIndex: number, answer: A | Unknown) => void): void {
    this.#onLate = late;
  }

  /** True if `cutShort` ended the call before it was decided. */
  get isCutShort(): boolean {
    return this.#isCutShort;
  }

  /** Decides the call by the answers so far. */
  cutShort(): void {
    if (this.#outcome) return;
    this.#isCutShort = true;
    this.#giveUp('no answer before the time of the caller was up');
  }

  /** Resolves when every node has answered, or after the shorter of `limit` ms and one more `timeout`; used to tell why a call was denied. */
  async rest(limit = Infinity): Promise<void> {
    if (!this.answers.includes(undefined)) return;
    await new Promise<void>((resolve) => {
      const stopTimer = this.context.clock.schedule(Math.min(limit, this.timeout), resolve);
      this.#onComplete = () => {
        stopTimer();
        resolve();
      };
    });
  }

  /** Calls `notify` after every answer that comes after the decision. There can be one listener only. */
  whenHeard(notify: () => void): void {
    this.#onHeard = notify;
  }

  /** Returns how many of the answers so far satisfy `test`. */
  count(test: (answer: A | Unknown) => boolean): number {
    return this.answers.filter((answer) => answer !== undefined && test(answer)).length;
  }

  answer(nodeIndex: number, given: A | Unknown): void {
    const answer = this.claim.isDoubtfulAt(nodeIndex) && given.kind === this.#yes ? DOUBTFUL : given;
    if (requests.hasSubscribers && this.answers[nodeIndex] === undefined) this.#publish(nodeIndex, given);
    this.answers[nodeIndex] = answer;
    if (this.#outcome) return this.#late(nodeIndex, answer);
    if (this.#isYes(answer.kind)) this.#granted += 1;
    else this.#refused += 1;
    const outcome = verdict(this.answers.length, this.#granted, this.#refused);
    if (outcome !== 'open') this.#end(outcome);
  }

  /** Gives up, since the time is up, but only after the input that has arrived was read: a late event loop is not a silent node. */
  due(): void {
    this.context.clock.afterInput(() => this.#giveUp(`no answer within ${this.timeout} ms`));
  }

  #isYes(kind: string): boolean {
    return this.#yes === undefined ? kind !== 'unknown' : kind === this.#yes;
  }

  #late(nodeIndex: number, answer: A | Unknown): void {
    this.#onLate?.(nodeIndex, answer);
    this.#onHeard?.();
    if ((this.#onComplete || this.link.list) && !this.answers.includes(undefined)) this.#complete();
  }

  #complete(): void {
    this.context.timerQueue.remove(this);
    this.#onComplete?.();
  }

  #giveUp(reason: string): void {
    if (this.#outcome === 'won') return;
    const silence: Unknown = { kind: 'unknown', reason, sent: true };
    for (let nodeIndex = 0; nodeIndex < this.answers.length; nodeIndex += 1) {
      if (this.answers[nodeIndex]) continue;
      if (requests.hasSubscribers && !this.#isCutShort) this.#publish(nodeIndex);
      this.answers[nodeIndex] = silence;
      if (this.#outcome) this.#late(nodeIndex, silence);
    }
    if (!this.#outcome) this.#end('denied');
  }

  #publish(nodeIndex: number, given?: A | Unknown): void {
    if (this.context.isUnobserved) return;
    publishRequest(this.nodes[nodeIndex]!.name, this.context.clock.now().monotonic - this.asked, given);
  }

  #end(outcome: Decision): void {
    this.#outcome = outcome;
    const waits = outcome === 'denied' && this.#onLate && this.answers.includes(undefined);
    if (!waits) this.context.timerQueue.remove(this);
    const notify = this.#onDecision;
    this.#onDecision = undefined;
    notify?.(outcome);
  }
}
