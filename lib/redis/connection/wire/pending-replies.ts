import type { Moment } from '../../../engine/clock.js';
import type { Reply, ReplyListener } from './wire-command.js';

/** The reply that a command waits for. */
export class PendingReply implements ReplyListener {
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

/** The commands of a connection that wait for their answers, which come in the order of the commands. */
export class PendingReplies {
  #queue: PendingReply[] = [];
  #first = 0;

  /** `onAnswer` is called after an answer has come and was passed on, and `onError` if that threw. */
  constructor(
    private readonly onAnswer: () => void,
    private readonly onError = rethrow,
  ) {}

  get oldest(): PendingReply | undefined {
    return this.#queue[this.#first];
  }

  /** An upper bound of the number of unanswered commands: some may have been answered out of order. */
  get size(): number {
    return this.#queue.length - this.#first;
  }

  add(since: Moment, settle: (reply: Reply) => void): PendingReply {
    const pending = new PendingReply(this, since, settle);
    this.#queue.push(pending);
    return pending;
  }

  /** Passes an answer on, unless the command was settled before. */
  answer(pending: PendingReply, reply: Reply): void {
    if (pending.settle === undefined) return;
    try {
      this.giveUp(pending, reply);
    } catch (error) {
      // ioredis would throw it again where nobody can catch it.
      this.onError(error as Error);
    }
    this.onAnswer();
  }

  /** Settles a command that gets no answer, which says nothing about what the node did before. */
  giveUp(pending: PendingReply, reply: Reply): void {
    const { settle } = pending;
    if (settle === undefined) return;
    pending.settle = undefined;
    this.#passAnswered();
    settle(reply);
  }

  /** Settles all commands that can get no answer any more. */
  giveUpAll(reply: Reply): void {
    const pending = this.#queue.slice(this.#first);
    for (const one of pending) this.giveUp(one, reply);
  }

  #passAnswered(): void {
    while (this.#first < this.#queue.length && !this.#queue[this.#first]!.settle) this.#first += 1;
    if (this.#first < this.#queue.length && this.#first < TIDY_FROM) return;
    this.#queue.splice(0, this.#first);
    this.#first = 0;
  }
}

function rethrow(error: Error): void {
  throw error;
}
