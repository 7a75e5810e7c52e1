import { setMaxListeners } from 'node:events';
import { TimedTask, type TimerQueue } from './timer-queue.js';
import type { AbortSignalLike, AbortSource } from './abort.js';

/** Called when a wait ends, in one of two ways. */
export interface WaitEnd {
  /** The time of the wait is up. */
  timeout(): void;
  /** The caller or the pool has aborted the wait. */
  abort(reason: Error): void;
}

/** What may abort a wait. */
interface AbortSources {
  readonly closing: AbortSource;
  readonly signal: AbortSignalLike | undefined;
}

/** One wait of a caller. It ends once: when its time is up, or before that when it is aborted. */
export class Wait extends TimedTask {
  readonly #stopListening: () => void;
  readonly #signal: AbortSignalLike | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(
    private readonly timerQueue: TimerQueue,
    { closing, signal }: AbortSources,
    private readonly end: WaitEnd,
  ) {
    super();
    this.#stopListening = closing.listen((reason) => this.#abort(reason));
    this.#signal = signal;
    if (signal === undefined) return;
    this.#onAbort = () => this.#abort(signal.reason as Error);
    // Many callers may share one signal. That is not a leak, so Node must not warn of one.
    if (signal instanceof AbortSignal) setMaxListeners(0, signal);
    signal.addEventListener('abort', this.#onAbort);
  }

  due(): void {
    this.stop();
    this.end.timeout();
  }

  stop(): void {
    this.timerQueue.remove(this);
    this.#stopListening();
    if (this.#onAbort) this.#signal!.removeEventListener('abort', this.#onAbort);
  }

  #abort(reason: Error): void {
    this.stop();
    this.end.abort(reason);
  }
}
