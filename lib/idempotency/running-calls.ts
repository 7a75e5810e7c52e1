import { SystemClock } from '../engine/system-clock.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { OnceRun } from './once-call.js';

const clock = new SystemClock();
/** Ms. */
const RETRY_AFTER = 1_000;

/** The calls that run in this process. An equal call gets what the first one ends with. */
export class RunningCalls<T> {
  readonly #calls = new Map<string, { readonly fingerprint: string | null; readonly ended: Promise<T> }>();

  /** @throws IdempotencyError if the first call takes longer than `waitTimeout` */
  async share(run: OnceRun, start: () => Promise<T>): Promise<{ readonly ended: T; readonly isJoined: boolean }> {
    const { key, fingerprint, settings } = run;
    const first = this.#calls.get(key);
    if (first?.fingerprint === fingerprint && settings.onBusy !== 'reject')
      return { ended: await within(first.ended, run), isJoined: true };
    // Only the store knows which of two different calls has the key.
    if (first !== undefined) return { ended: await start(), isJoined: false };
    const ended = start().finally(() => this.#calls.delete(key));
    this.#calls.set(key, { fingerprint, ended });
    return { ended: await ended, isJoined: false };
  }
}

async function within<T>(ended: Promise<T>, { key, settings }: OnceRun): Promise<T> {
  const { waitTimeout } = settings.lock;
  if (waitTimeout === undefined || waitTimeout === Infinity) return ended;
  let stop = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.schedule(waitTimeout, () =>
      reject(new IdempotencyError('IDEMPOTENCY_IN_PROGRESS', key, { retryAfter: RETRY_AFTER })),
    );
  });
  return Promise.race([ended, late]).finally(stop);
}
