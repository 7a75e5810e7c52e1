import { IdempotencyError } from './idempotency.errors.js';
import type { OnceRun } from './once-run.js';
import { SystemClock } from '../engine/system-clock.js';

const clock = new SystemClock();
/** Ms for `Retry-After`. */
const RETRY_AFTER = 1_000;

/** What tells equal calls from others, and how long a call waits for an equal one. */
type SharingCall = Pick<OnceRun, 'key' | 'fingerprint' | 'settings'>;

interface RunningCall<T> {
  readonly fingerprint: string | null;
  readonly ended: Promise<T>;
}

/** The calls that are under way in this process: an equal call gets what the first one ends with. */
export class RunningCalls<T> {
  readonly #calls = new Map<string, RunningCall<T>>();

  /** @throws IdempotencyError if the first takes longer than the call waits */
  async share(call: SharingCall, start: () => Promise<T>): Promise<{ readonly ended: T; readonly isJoined: boolean }> {
    const first = this.#calls.get(call.key);
    if (first === undefined) return { ended: await this.#begin(call, start), isJoined: false };
    // Only the store knows whether the first one of these runs, or finds a reply itself.
    const isOther = first.fingerprint !== call.fingerprint || call.settings.onBusy === 'reject';
    if (isOther) return { ended: await start(), isJoined: false };
    return { ended: await within(first.ended, call), isJoined: true };
  }

  #begin({ key, fingerprint }: SharingCall, start: () => Promise<T>): Promise<T> {
    const ended = start().finally(() => this.#calls.delete(key));
    this.#calls.set(key, { fingerprint, ended });
    return ended;
  }
}

/** Waits for the first call for as long as the options say. */
async function within<T>(ended: Promise<T>, { key, settings }: SharingCall): Promise<T> {
  const busy = (): IdempotencyError =>
    new IdempotencyError('IDEMPOTENCY_IN_PROGRESS', key, { retryAfter: RETRY_AFTER });
  const { waitTimeout } = settings.lock;
  if (waitTimeout === undefined || waitTimeout === Infinity) return ended;
  let stop = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => (stop = clock.schedule(waitTimeout, () => reject(busy()))));
  return Promise.race([ended, late]).finally(stop);
}
