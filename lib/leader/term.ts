import type { TermEnd } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';

/** The time for which this process leads. */
export interface Term {
  /** The name of the role. */
  readonly name: string;
  /** The fencing token of the term, greater than that of every earlier term. Store it with your data, and reject writes with a smaller number. */
  readonly number: number;
  /** Aborts when the term ends, before another process can lead. */
  readonly signal: AbortSignal;
  /** True if the work of an earlier term of this candidate is still running after its `stopTimeout`. */
  readonly overlap: boolean;
  /** Resolves with the reason when the term ends. It never rejects. */
  readonly ended: Promise<TermEnd>;
  /** Checks that the term lasts for at least `minimumMs` ms more. @throws LockLostError if it does not */
  assertValid(minimumMs?: number): void;
  /** Gives the role up, and stays a candidate. Resolves once another process can lead: the work, which has to end before, must not await it. */
  resign(): Promise<void>;
}

/** Stops what the work has started. Awaited for `stopTimeout` ms before another process can lead. */
export type StopWork = () => void | Promise<void>;

/** What a leader does. If the work returns, the process goes on leading; a function that the work returns is called when the term ends. */
export type LeaderWork = (term: Term) => void | StopWork | Promise<void | StopWork>;

/** A term, as its candidate sees it. */
export class HeldTerm implements Term {
  readonly number: number;
  readonly ended: Promise<TermEnd>;
  /** Resolves once another process can lead. */
  readonly handedOver: Promise<void>;
  readonly #abort = new AbortController();
  #end: TermEnd | undefined;
  #resolveEnded!: (end: TermEnd) => void;
  #resolveHandedOver!: () => void;

  constructor(
    readonly name: string,
    readonly lock: Lock,
    readonly overlap: boolean,
  ) {
    this.number = lock.fencingToken;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.handedOver = new Promise((resolve) => (this.#resolveHandedOver = resolve));
    const { signal } = lock;
    signal.addEventListener('abort', () => this.end('lost', signal.reason));
    if (signal.aborted) this.end('lost', signal.reason);
  }

  get signal(): AbortSignal {
    // The signal of the lock notices on the clock that the lease is over.
    void this.lock.signal;
    return this.#abort.signal;
  }

  /** Whether this process leads, checked on the clock. */
  get isLeading(): boolean {
    return this.#end === undefined && this.lock.isValid;
  }

  assertValid(minimumMs?: number): void {
    if (this.#end === undefined) this.lock.assertValid(minimumMs);
    else this.signal.throwIfAborted();
  }

  resign(): Promise<void> {
    this.end('resigned');
    return this.handedOver;
  }

  /** Ends the term. Only the first reason counts. */
  end(why: TermEnd, reason: unknown = new Error(`The term of "${this.name}" has ended: ${why}`)): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    this.#resolveEnded(why);
    this.#abort.abort(reason);
  }

  async handOver(): Promise<void> {
    await this.lock.release();
    this.#resolveHandedOver();
  }
}
