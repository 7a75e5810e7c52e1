import type { Lines } from '../logging/safe-logger.js';
import { QuorumNotReachedError } from '../engine/errors.js';
import type { AbortSignalLike } from '../engine/abort.js';
import type { Clock } from '../engine/clock.js';
import { votesText, type RedlockStatus } from '../engine/status.js';
import { mistake } from '../engine/codes.js';

/** Ms between two checks of the nodes. */
const LOOK_EVERY = 250;
/** Ms between two lines of the log. */
const REPORT_EVERY = 30_000;

const EARLY =
  '. This call came before the application had started, as from a factory of a provider: set waitForQuorum of RedlockModule, and such ' +
  'calls wait until enough nodes vote';

/** Holds up the start of an application until enough nodes vote. */
export class QuorumWait {
  /** True once the application has started, so that calls need not wait for this. */
  isOver = false;
  #isStopped = false;
  #waiting: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(
    private readonly logger: Pick<Lines, 'log'>,
    private readonly clock: Clock,
    private readonly status: () => Promise<RedlockStatus>,
    /** Ms to wait for a quorum; true waits for as long as that takes, false does not wait. */
    private readonly limit: boolean | number,
  ) {}

  /**
   * Resolves once enough nodes vote, or once `stop` was called.
   * @throws Error if that takes longer than the limit
   */
  untilQuorum(): Promise<void> {
    this.#waiting ??= this.limit === false ? Promise.resolve() : this.#wait(this.limit);
    return this.#waiting;
  }

  /** Runs a call of a provider that comes before the application has started: once enough nodes vote, if the start waits for that. */
  async early<T>(call: () => Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
    if (this.limit !== false) await this.#overUnlessAborted(signal);
    try {
      return await call();
    } catch (error) {
      if (error instanceof QuorumNotReachedError && !this.isOver && this.limit === false) error.message += EARLY;
      throw error;
    }
  }

  async #overUnlessAborted(signal: AbortSignalLike | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      void this.untilQuorum()
        .then(resolve, reject)
        .finally(() => signal?.removeEventListener('abort', abort));
    });
  }

  async #wait(limit: true | number): Promise<void> {
    const letEnd = this.clock.keepAlive?.();
    try {
      await this.#untilVoting(limit);
    } finally {
      letEnd?.();
    }
  }

  async #untilVoting(limit: true | number): Promise<void> {
    const { clock } = this;
    const since = clock.now().monotonic;
    for (let reportedAt = -Infinity; ;) {
      const found = await this.status();
      if (found.quorumReachable || this.#isStopped) return;
      const now = clock.now().monotonic;
      const remaining = limit === true ? Infinity : since + limit - now;
      if (remaining <= 0)
        throw mistake(
          'REDLOCK_E11',
          `No quorum of nodes within ${String(limit)} ms (waitForQuorum): ${votesText(found)}`,
          { Kind: Error },
        );
      if (now - reportedAt >= REPORT_EVERY) {
        this.logger.log(`The start waits until locks are possible (waitForQuorum): ${votesText(found)}`);
        reportedAt = now;
      }
      await this.#sleep(Math.min(LOOK_EVERY, remaining));
    }
  }

  /** Ends the wait, because the application shuts down before its start is complete. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  #sleep(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.clock.schedule(delay, resolve);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
    });
  }
}
