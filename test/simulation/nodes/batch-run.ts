import type { NodeAnswer } from '../../../lib/redis/batch/reply-decoder.js';
import { isRelease, isVote } from '../../../lib/redis/batch/verbs.js';
import { ANSWER, type Verb } from '../../../lib/redis/scripts/protocol.js';
import type { Reply } from '../../../lib/redis/connection/wire/wire-command.js';
import type { SentBatch, SentOperation } from './sent-batch.js';
import type { SimulatedNode } from './simulated-node.js';

/** What of a node in memory does what a letter asks for. */
const METHODS = {
  A: 'acquire',
  W: 'acquire',
  a: 'acquire',
  E: 'extend',
  e: 'extend',
  K: 'extend',
  k: 'extend',
  F: 'raise',
  f: 'raise',
  R: 'release',
  r: 'release',
  L: 'release',
  S: 'release',
  s: 'release',
  Y: 'yield',
} as const satisfies Record<Verb, string>;

/** How the method does it, by the letters that say more than their method. */
const MANNERS: Partial<Record<Verb, { readonly mayShorten?: true; readonly isFollowed?: true }>> = {
  K: { mayShorten: true },
  k: { mayShorten: true },
  S: { isFollowed: true },
  s: { isFollowed: true },
};

/** Where the clock of the node stands in a number that answers for a whole batch. */
const CLOCK_AT = 1_024;

/** One run of the batch script on a node in memory: the operations one by one, and the answer in its letters and words. */
export class BatchRun {
  #letters = '';
  readonly #words: unknown[] = [''];
  #isUsual = true;
  #putsInLine = false;
  #left: number;
  readonly #clock: number;

  constructor(
    private readonly node: SimulatedNode,
    private readonly batch: SentBatch,
    private readonly reply: (reply: Reply) => void,
  ) {
    this.#left = batch.operations.length;
    this.#clock = Math.floor(node.wall);
  }

  /** All of it in one turn; what comes of it is told in microtasks, in order. */
  start(): void {
    const { node } = this;
    if (this.#left === 0) return node.memory.probe((answer) => this.#probed(answer));
    for (const operation of this.batch.operations) {
      const { verb, ...asked } = operation;
      const answer = (_nodeIndex: number, given: NodeAnswer): void => this.#answered(operation, given);
      if (isRelease(verb)) node.beforeRelease(asked.claim.resources, asked.claim.value);
      node.memory[METHODS[verb]]({ ...asked, ...MANNERS[verb], answer }, 0);
    }
  }

  /** Answers with an error in place of each operation. */
  refuse(reason: string): void {
    for (const operation of this.batch.operations) this.#answered(operation, { kind: 'unknown', reason, sent: true });
    if (this.#left === 0 && this.batch.operations.length === 0) this.#end();
  }

  #probed(answer: { readonly kind: string; readonly remaining?: number }): void {
    const { remaining } = answer;
    if (remaining === undefined) return this.#end();
    this.reply({ ok: true, value: ['', Math.ceil(remaining), this.#clock] });
  }

  #answered(operation: SentOperation, answer: NodeAnswer): void {
    this.node.note(operation, answer);
    this.#letters += this.#letterOf(operation, answer);
    this.#left -= 1;
    if (this.#left === 0) this.#end();
  }

  #letterOf({ verb, proposal }: SentOperation, answer: NodeAnswer): string {
    this.#putsInLine ||= (verb === 'W' && answer.kind === 'held') || answer.kind === 'passed';
    if (answer.kind === 'granted') {
      if (answer.fence === proposal && answer.oldest === Infinity) return ANSWER.usual;
      return this.#inFull(ANSWER.granted, `${answer.fence} ${wordOf(answer.oldest ?? 0)}`);
    }
    if (answer.kind === 'held')
      return this.#inFull(ANSWER.held, answer.remaining === Infinity ? -1 : answer.remaining, answer.owner);
    if (answer.kind === 'quarantined') return this.#inFull(ANSWER.quarantined, Math.ceil(answer.remaining));
    if (answer.kind === 'unknown') return this.#inFull(ANSWER.failed, answer.reason);
    if (isRelease(verb) ? answer.kind === 'released' : answer.kind === 'extended' && (verb === 'E' || verb === 'e'))
      return ANSWER.usual;
    return this.#inFull(ANSWER[answer.kind]);
  }

  #inFull(letter: string, ...words: unknown[]): string {
    this.#isUsual = false;
    this.#words.push(...words);
    return letter;
  }

  /** A waiter hears of its grant from a node before Redis 7.2 before the caller of the batch has the answer. */
  #end(): void {
    const { node } = this;
    const tell = node.grants.take();
    if (node.tellsFirst) tell?.();
    this.reply({ ok: true, value: this.#value(tell !== undefined || this.batch.terms.isChecked) });
    if (!node.tellsFirst) tell?.();
  }

  #value(hasClock: boolean): unknown {
    const words = this.#words;
    if (this.#isUsual && !this.#putsInLine) {
      const count = this.batch.operations.length;
      return hasClock ? count + CLOCK_AT * this.#clock : count;
    }
    words[0] = this.#letters;
    if (this.#putsInLine) words.push([this.node.grants.secret]);
    if (hasClock || this.#putsInLine) words.push(this.#clock);
    return words.length === 1 ? this.#letters : words;
  }
}

/** The arrival of a waiter, as a word of a message. */
export function wordOf(arrived: number): string {
  return arrived === Infinity ? '-' : String(arrived);
}

/** Whether an operation takes something for its claim, or puts it in line. */
export function takes({ verb }: SentOperation): boolean {
  return isVote(verb) || verb === 'Y';
}
