import type { Clock } from './clock.js';
import type { LockNode, Unknown } from './lock-node.js';
import { verdict } from './quorum.js';

interface Answer {
  readonly kind: string;
}

export interface Question<A extends Answer> {
  /** Puts the question to one node. */
  put(node: LockNode, answered: (answer: A | Unknown) => void): void;
  /** Whether an answer is a vote in favour. */
  favours(answer: A | Unknown): boolean;
  /** Ms after which silence is an answer. */
  readonly timeout: number;
  /** Told of every answer that comes once the ballot is decided. */
  late?(node: LockNode, answer: A | Unknown): void;
}

/** One question put to all nodes at once and decided as soon as it can be; never waits for the slowest node. */
export class Ballot<A extends Answer> {
  /** By node; undefined where there is no answer yet. */
  readonly answers: (A | Unknown | undefined)[];
  readonly decision: Promise<'won' | 'lost'>;
  #decide!: (outcome: 'won' | 'lost') => void;
  #decided = false;
  #granted = 0;
  #refused = 0;
  #stopTimer: () => void;
  #onComplete: () => void = () => undefined;

  constructor(
    readonly nodes: readonly LockNode[],
    private readonly question: Question<A>,
    private readonly clock: Clock,
  ) {
    this.answers = Array.from(nodes, () => undefined);
    this.decision = new Promise((resolve) => (this.#decide = resolve));
    this.#stopTimer = clock.schedule(question.timeout, () => clock.afterInput(() => this.#giveUp()));
    nodes.forEach((node, index) => question.put(node, (answer) => this.#count(index, answer)));
  }

  /** Resolves when every node has answered, or after one more `timeout`: for telling why a ballot was lost. */
  async rest(): Promise<void> {
    if (!this.answers.includes(undefined)) return;
    await new Promise<void>((resolve) => {
      const stopTimer = this.clock.schedule(this.question.timeout, resolve);
      this.#onComplete = () => {
        stopTimer();
        resolve();
      };
    });
  }

  /** How many answers satisfy `test` so far. */
  count(test: (answer: A | Unknown) => boolean): number {
    return this.answers.filter((answer) => answer !== undefined && test(answer)).length;
  }

  #count(index: number, answer: A | Unknown): void {
    if (this.#decided) return this.#countLate(index, answer);
    this.answers[index] = answer;
    if (this.question.favours(answer)) this.#granted += 1;
    else this.#refused += 1;
    const outcome = verdict(this.nodes.length, this.#granted, this.#refused);
    if (outcome !== 'open') this.#end(outcome);
  }

  #countLate(index: number, answer: A | Unknown): void {
    this.answers[index] = answer;
    this.question.late?.(this.nodes[index]!, answer);
    if (!this.answers.includes(undefined)) this.#onComplete();
  }

  #giveUp(): void {
    if (this.#decided) return;
    const reason = `no answer within ${this.question.timeout} ms`;
    for (let index = 0; index < this.nodes.length; index += 1) {
      this.answers[index] ??= { kind: 'unknown', reason, sent: true };
    }
    this.#end('lost');
  }

  #end(outcome: 'won' | 'lost'): void {
    this.#decided = true;
    this.#stopTimer();
    this.#decide(outcome);
  }
}
