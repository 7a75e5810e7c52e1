import { setMaxListeners } from 'node:events';
import { TimedTask, type TimerQueue } from './timer-queue.js';
import type { AbortSignalLike, AbortSource } from './abort.js';

/** What ends a wait. */
export interface WaitEnd {
  /** The time is up. */
  timeout(): void;
  /** The caller or the pool wants no more of it. */
  abort(reason: Error): void;
}

/** Who may want no more of a wait. */
interface Quitters {
  readonly closing: AbortSource;
  readonly signal: AbortSignalLike | undefined;
}

/** One wait of a caller: ends once, when its time is up, or before that when somebody wants no more of it. */
export class Wait extends TimedTask {
  readonly #stopListening: () => void;
  readonly #signal: AbortSignalLike | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(
    private readonly timerQueue: TimerQueue,
    { closing, signal }: Quitters,
    private readonly end: WaitEnd,
  ) {
    super();
    this.#stopListening = closing.listen((reason) => this.#abort(reason));
    this.#signal = signal;
    if (signal === undefined) return;
    this.#onAbort = () => this.#abort(signal.reason as Error);
    // Many callers may share one signal; that is no leak to be warned of.
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
