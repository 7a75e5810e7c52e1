import type { Redis } from 'ioredis';
import type { Claim, Grant } from '../core/claim.js';
import { arrivalIn } from './answers.js';

const TIDY_FROM = 1_000;
/** Value, fence counter, when the oldest of those came who wait behind it, key. */
const GRANT = /^(\S+) (\d+) (\S+) (.*)$/s;

/** Told what comes over the channel. */
export interface GrantListener {
  /** The node gave the resource to a claim that waited in its line. */
  granted(claim: Claim, grant: Omit<Grant, 'since'>): void;
  /** The node gave a resource to a value for which nobody here waits any more. */
  unwanted(value: string, key: string): void;
  /** The node cannot tell us of grants. */
  unavailable(reason: string): void;
}

/** The private channel over which one node tells one process what it was given, on the connection of its commands. */
export class GrantChannel {
  readonly #waiting = new Map<string, Claim>();
  #redis: Redis | undefined;
  #tidyAt = TIDY_FROM;
  #usable = false;
  #told = false;

  constructor(
    private readonly name: string,
    private readonly listener: GrantListener,
  ) {}

  /** Whether a claim may be entered into the line of the node. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Subscribes on a new connection, which must be its first command. Only RESP3 takes other commands beside it. */
  listen(redis: Redis): void {
    if (this.#redis !== redis) redis.on('message', (_channel: string, message: string) => this.#heard(message));
    this.#redis = redis;
    this.#usable = redis.condition?.protocol === 3;
    if (!this.#usable) return this.#failed('the node does not speak RESP3, which Redis has from version 6 on');
    redis.subscribe(this.name).then(
      () => (this.#told = false),
      (error: Error) => this.#refused(error),
    );
  }

  /** Grants for this claim are wanted, until it is released or nobody waits for it any more. */
  expect(claim: Claim): void {
    this.#waiting.set(claim.value, claim);
    if (this.#waiting.size >= this.#tidyAt) this.#tidy();
  }

  forget(claim: Claim): void {
    if (this.#waiting.size > 0) this.#waiting.delete(claim.value);
  }

  /**
   * Whenever their number has doubled: often enough to forget locks that nobody released, too seldom to cost. What is still held
   * stays: a vote for it that comes late was perhaps counted by an extension, and must not be given back.
   */
  #tidy(): void {
    for (const [value, { ticket, over }] of this.#waiting) {
      if (!ticket!.isTaken && over) this.#waiting.delete(value);
    }
    this.#tidyAt = Math.max(TIDY_FROM, 2 * this.#waiting.size);
  }

  /** A connection that breaks under way is no refusal: the next one tries again. */
  #refused(error: Error): void {
    if (error.name === 'ReplyError') this.#failed(error.message);
  }

  #failed(reason: string): void {
    this.#usable = false;
    if (!this.#told) this.listener.unavailable(reason);
    this.#told = true;
  }

  #heard(message: string): void {
    const parts = GRANT.exec(message);
    if (parts === null) return;
    const value = parts[1]!;
    const claim = this.#waiting.get(value);
    if (claim) this.listener.granted(claim, { fence: Number(parts[2]), oldest: arrivalIn(parts[3]) });
    else this.listener.unwanted(value, parts[4]!);
  }
}
