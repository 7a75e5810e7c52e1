import { TimedTask, type TimerQueue } from '../time/timer-queue.js';
import type { Claim } from '../port/claim.js';
import type { Clock, Moment } from '../time/clock.js';
import type { LockNode, Question, Unknown } from '../port/lock-node.js';
import { verdict } from './quorum.js';

export type Decision = 'won' | 'lost';

interface Answer {
  readonly kind: string;
}

/** What a quorum call is about. */
export interface QuorumCallTerms<A extends Answer> {
  readonly claim: Claim;
  readonly ttl: number;
  /** @see Question.proposal */
  readonly proposal: number;
  /** Ms after which silence is an answer. */
  readonly timeout: number;
  /** What time it is, where that was just looked up. */
  readonly now?: Moment | undefined;
  /** Puts the question to one node. */
  readonly put: (node: LockNode, question: Question<A>, nodeIndex: number) => void;
  /** The kind of answer that is a vote in favour; where there is none, every answer is, except that there is none. */
  readonly favour?: A['kind'] | undefined;
  /** Told of every answer that comes once the quorum call is decided, and, where it is lost, of those that do not come in time. */
  readonly late?: ((nodeIndex: number, answer: A | Unknown) => void) | undefined;
}

/** Whom and when a quorum call asks. */
export interface CallContext {
  readonly nodes: readonly LockNode[];
  /** Undefined as often as there are nodes; to be copied, which is quicker than to make it. */
  readonly noAnswers: readonly undefined[];
  readonly clock: Clock;
  readonly timerQueue: TimerQueue;
}

const DOUBTFUL: Unknown = {
  kind: 'unknown',
  reason: 'what it gives may be given away by what is still on its way',
  sent: true,
};

/** One question put to all nodes at once and decided as soon as it can be; never waits for the slowest node. */
export class QuorumCall<A extends Answer> extends TimedTask implements Question<A> {
  /** By index; undefined where there is no answer yet. */
  readonly answers: (A | Unknown | undefined)[];
  readonly claim: Claim;
  readonly ttl: number;
  readonly proposal: number;
  /** When it was put, ms on the monotonic clock. */
  readonly asked: number;
  readonly #timeout: number;
  readonly #favour: string | undefined;
  #tellLate: QuorumCallTerms<A>['late'];
  #outcome: Decision | undefined;
  #onDecision: ((decision: Decision) => void) | undefined;
  #onComplete: (() => void) | undefined;
  #onHeard: (() => void) | undefined;
  #granted = 0;
  #refused = 0;
  #isCutShort = false;

  /** Does not keep the terms: a node that is slow to answer would keep all that they lead to. */
  constructor(
    private readonly context: CallContext,
    terms: QuorumCallTerms<A>,
  ) {
    super();
    const { nodes, timerQueue } = context;
    this.claim = terms.claim;
    this.ttl = terms.ttl;
    this.proposal = terms.proposal;
    this.#timeout = terms.timeout;
    this.#favour = terms.favour;
    this.#tellLate = terms.late;
    this.answers = context.noAnswers.slice();
    const { now = context.clock.now() } = terms;
    this.asked = now.monotonic;
    timerQueue.add(terms.timeout, this, now);
    for (let nodeIndex = 0; nodeIndex < nodes.length; nodeIndex += 1) terms.put(nodes[nodeIndex]!, this, nodeIndex);
  }

  get nodes(): readonly LockNode[] {
    return this.context.nodes;
  }

  get decision(): Promise<Decision> {
    return new Promise((resolve) => this.whenDecided(resolve));
  }

  /** Calls `tell` in the very turn in which the quorum call is decided; for one caller. */
  whenDecided(tell: (decision: Decision) => void): void {
    if (this.#outcome) tell(this.#outcome);
    else this.#onDecision = tell;
  }

  /** Has what comes late told to somebody else. */
  tellLate(late: (nodeIndex: number, answer: A | Unknown) => void): void {
    this.#tellLate = late;
  }

  /** Ms after which silence is an answer. */
  get timeout(): number {
    return this.#timeout;
  }

  /** True where the caller wanted no more of it before it was decided. */
  get isCutShort(): boolean {
    return this.#isCutShort;
  }

  /** Decides it by what was answered so far. */
  cutShort(): void {
    if (this.#outcome) return;
    this.#isCutShort = true;
    this.#giveUp('no answer before the time of the caller was up');
  }

  /** Resolves when every node has answered, or after `limit` ms and at most one more `timeout`: for telling why a quorum call was lost. */
  async rest(limit = Infinity): Promise<void> {
    if (!this.answers.includes(undefined)) return;
    await new Promise<void>((resolve) => {
      const stopTimer = this.context.clock.schedule(Math.min(limit, this.#timeout), resolve);
      this.#onComplete = () => {
        stopTimer();
        resolve();
      };
    });
  }

  /** Calls `tell` with every answer that comes once it is decided; for one caller. */
  whenHeard(tell: () => void): void {
    this.#onHeard = tell;
  }

  /** How many answers satisfy `test` so far. */
  count(test: (answer: A | Unknown) => boolean): number {
    return this.answers.filter((answer) => answer !== undefined && test(answer)).length;
  }

  answer(nodeIndex: number, given: A | Unknown): void {
    const answer = this.claim.isDoubtful(nodeIndex) && given.kind === this.#favour ? DOUBTFUL : given;
    this.answers[nodeIndex] = answer;
    if (this.#outcome) return this.#late(nodeIndex, answer);
    if (this.#favours(answer.kind)) this.#granted += 1;
    else this.#refused += 1;
    const outcome = verdict(this.answers.length, this.#granted, this.#refused);
    if (outcome !== 'open') this.#end(outcome);
  }

  /** The time is up, but a late event loop is not a silent node. */
  due(): void {
    this.context.clock.afterInput(() => this.#giveUp(`no answer within ${this.#timeout} ms`));
  }

  #favours(kind: string): boolean {
    return this.#favour === undefined ? kind !== 'unknown' : kind === this.#favour;
  }

  #late(nodeIndex: number, answer: A | Unknown): void {
    this.#tellLate?.(nodeIndex, answer);
    this.#onHeard?.();
    if ((this.#onComplete || this.slot) && !this.answers.includes(undefined)) this.#complete();
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
      this.answers[nodeIndex] = silence;
      if (this.#outcome) this.#late(nodeIndex, silence);
    }
    if (!this.#outcome) this.#end('lost');
  }

  #end(outcome: Decision): void {
    this.#outcome = outcome;
    const waits = outcome === 'lost' && this.#tellLate && this.answers.includes(undefined);
    if (!waits) this.context.timerQueue.remove(this);
    const tell = this.#onDecision;
    this.#onDecision = undefined;
    tell?.(outcome);
  }
}
