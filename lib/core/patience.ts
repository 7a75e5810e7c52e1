import { setMaxListeners } from 'node:events';
import { elapsed, type Clock, type Moment } from './clock.js';

export interface PatienceTerms {
  readonly waitTimeout: number;
  readonly retryCount: number;
  readonly signal?: AbortSignal | undefined;
}

/** How long one caller goes on trying, and what ends it early. */
export class Patience {
  readonly #since: Moment;

  constructor(
    private readonly clock: Clock,
    private readonly terms: PatienceTerms,
    /** Aborts when the pool shuts down. */
    private readonly closing: AbortSignal,
  ) {
    this.#since = clock.now();
  }

  /** Ms since the caller asked. */
  get waited(): number {
    return elapsed(this.#since, this.clock.now());
  }

  /** Ms left to wait after so many attempts; zero or less where the caller has had enough. */
  left(attempts: number): number {
    return attempts > this.terms.retryCount ? 0 : this.terms.waitTimeout - this.waited;
  }

  /** Ms for which a vote may be repeated; without limit for a caller that does not wait, since it counts rounds. */
  get leftForVote(): number {
    return this.terms.waitTimeout === 0 ? Infinity : this.terms.waitTimeout - this.waited;
  }

  get aborted(): boolean {
    return this.#signals.some((signal) => signal.aborted);
  }

  throwIfAborted(): void {
    for (const signal of this.#signals) signal.throwIfAborted();
  }

  /** Resolves after `delay` ms; rejects with the reason of whatever signal aborts before. */
  async pause(delay: number): Promise<void> {
    this.throwIfAborted();
    // Many waiters may share one signal; that is no leak to be warned of.
    setMaxListeners(0, ...this.#signals);
    await new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        stopTimer();
        for (const signal of this.#signals) signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = (event: Event): void => finish(() => reject((event.target as AbortSignal).reason as Error));
      const stopTimer = this.clock.schedule(delay, () => finish(resolve));
      for (const signal of this.#signals) signal.addEventListener('abort', onAbort);
    });
  }

  get #signals(): AbortSignal[] {
    return this.terms.signal ? [this.closing, this.terms.signal] : [this.closing];
  }
}
