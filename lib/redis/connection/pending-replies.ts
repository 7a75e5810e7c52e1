import type { Moment } from '../../core/time/clock.js';
import type { Reply, ReplyListener } from './wire-command.js';

/** A command without an answer. */
export class Waiting implements ReplyListener {
  constructor(
    private readonly unanswered: PendingReplies,
    readonly since: Moment,
    public settle: ((reply: Reply) => void) | undefined,
  ) {}

  replied(reply: Reply): void {
    this.unanswered.answer(this, reply);
  }

  failed(reply: Reply): void {
    this.unanswered.giveUp(this, reply);
  }
}

const TIDY_FROM = 64;

/** The commands of a connection that wait for their answers; these come in order. */
export class PendingReplies {
  #queue: Waiting[] = [];
  #first = 0;
  /** Whole, so that there is always one of them: V8 forgets what objects look like of which none is left. */
  #lastAnswered: Waiting | undefined;

  /** `onAnswer` is called when an answer came and was handed on. */
  constructor(private readonly onAnswer: () => void) {}

  /** When the latest command was sent whose answer is here. */
  get lastAnswered(): Moment | undefined {
    return this.#lastAnswered?.since;
  }

  get oldest(): Waiting | undefined {
    return this.#queue[this.#first];
  }

  /** How many there are at most; some of them may have been answered out of order. */
  get size(): number {
    return this.#queue.length - this.#first;
  }

  /** A new connection: nothing has been answered on it. */
  begin(): void {
    this.#lastAnswered = undefined;
  }

  add(since: Moment, settle: (reply: Reply) => void): Waiting {
    const waiting = new Waiting(this, since, settle);
    this.#queue.push(waiting);
    return waiting;
  }

  /** What was answered before stays so. */
  answer(waiting: Waiting, reply: Reply): void {
    if (waiting.settle === undefined) return;
    this.#lastAnswered = waiting;
    this.giveUp(waiting, reply);
    this.onAnswer();
  }

  /** Says that no answer comes; that says nothing of what the node did before. */
  giveUp(waiting: Waiting, reply: Reply): void {
    const { settle } = waiting;
    if (settle === undefined) return;
    waiting.settle = undefined;
    this.#passAnswered();
    settle(reply);
  }

  /** Gives up what no answer can come for any more. */
  giveUpAll(reply: Reply): void {
    const waiting = this.#queue.slice(this.#first);
    for (const one of waiting) this.giveUp(one, reply);
  }

  #passAnswered(): void {
    while (this.#first < this.#queue.length && !this.#queue[this.#first]!.settle) this.#first += 1;
    if (this.#first < this.#queue.length && this.#first < TIDY_FROM) return;
    // Usually none is left; then the list keeps its room.
    if (this.#first < this.#queue.length) this.#queue = this.#queue.slice(this.#first);
    else while (this.#queue.pop());
    this.#first = 0;
  }
}
