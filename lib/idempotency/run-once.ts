import { type OnceOutcome, onces } from '../engine/channels.js';
import { coded, mistake } from '../engine/codes.js';
import { isLockError, ResourceLockedError } from '../engine/errors.js';
import type { ReplyEvent } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';
import { ignore, monotonicNow } from '../engine/native-timers.js';
import type { LockOptions } from '../engine/options.js';
import type { LockForOnce } from '../engine/redlock.js';
import { SafeLogger } from '../logging/safe-logger.js';
import type { RedlockService } from '../redlock.service.js';
import { ACQUIRE_ONCE, CHECK, EMIT } from '../redlock.tokens.js';
import type { Encryption } from './encryption.js';
import { IdempotencyError, type IdempotencyErrorCode } from './idempotency.errors.js';
import { type Ended, isWithin, type OnceNote, type OnceResult, type OnceRun, type OnceSettings } from './once-call.js';
import { type Outcome, readRecord } from './record.js';
import type { Attempt, Kept, Opened, Peeked, ReplyStore } from './reply-store.js';
import { type Attempted, attemptOf, pause, RunningAttempt } from './running-attempt.js';
import { RunningCalls } from './running-calls.js';

const logger = new SafeLogger('Idempotency');

/** Ms for which a key is opened again and again if the store does not answer. */
const OPEN_TIMEOUT = 1_000;
/** Ms: the shortest `Retry-After`. */
const SHORTEST_RETRY = 1_000;

/** What is needed of the service of a pool. */
type LocksForOnce = Pick<
  RedlockService,
  'acquire' | 'onApplicationShutdown' | typeof ACQUIRE_ONCE | typeof CHECK | typeof EMIT
>;

/** Runs work once for its key. The first call runs the work, and all others get its outcome. */
export class OnceRunner {
  readonly #calls = new RunningCalls<Ended>();
  readonly store: ReplyStore;
  readonly encrypt: Encryption | undefined;
  readonly #service: LocksForOnce;
  readonly #pool: string | undefined;

  /** @internal @param init `pool`: the name of the pool */
  constructor(init: { service: LocksForOnce; store: ReplyStore; encrypt?: Encryption | undefined; pool?: string }) {
    this.store = init.store;
    this.encrypt = init.encrypt;
    this.#service = init.service;
    this.#pool = init.pool;
  }

  /** @throws IdempotencyError; the error of the work; what `acquire` throws */
  async run(run: OnceRun): Promise<OnceResult> {
    const note: OnceNote = { pool: this.#pool, resources: [run.key], template: run.label };
    if (!onces.hasSubscribers) return this.#run(run, note);
    let result: OnceResult;
    // Without its result, which may be a reply.
    await onces.tracePromise(async () => {
      try {
        result = await this.#run(run, note);
      } catch (error) {
        note.outcome = outcomeOf(error);
        throw error;
      }
    }, note);
    return result!;
  }

  async #run(run: OnceRun, note: OnceNote): Promise<OnceResult> {
    if (isWithin(run.key))
      throw mistake(
        'REDLOCK_E09',
        `A call within the call for "${run.label}" asks for the same key: it would wait for itself`,
      );
    const { ended, isJoined } = await this.#calls.share(run, () => this.#settled(run, note));
    if (isJoined) note.outcome = 'joined';
    if ('error' in ended) throw ended.error;
    if (note.outcome === 'ran' || note.outcome === 'unkept') return { kind: 'own' };
    const outcome = ended.keep;
    note.firstTraceparent = outcome.traceparent;
    if (outcome.kind === 'tombstone')
      throw new IdempotencyError('IDEMPOTENCY_REPLY_NOT_KEPT', run.key, { headers: outcome.headers ?? [] });
    this.#tell('replayed', run);
    return { kind: 'replay', outcome };
  }

  /** Runs the work, or finds what another call has ended with. */
  async #settled(run: OnceRun, note: OnceNote): Promise<Ended> {
    const end = monotonicNow() + (run.settings.lock.waitTimeout ?? Infinity);
    for (;;) {
      note.outcome = 'replayed';
      const taken = await this.#peekAndTake(run, note);
      if ('kept' in taken) return { keep: this.#read(run, taken.kept) };
      const attempted = await this.#underLock(run, taken, note);
      if (attempted !== 'superseded') return attempted;
      this.#tell('superseded', run);
      if (monotonicNow() >= end) return this.#lastLook(run, note);
      await pause();
    }
  }

  /** The work of the call itself may have taken all the time, and then the reply of whoever took over is there. */
  async #lastLook(run: OnceRun, note: OnceNote): Promise<Ended> {
    note.outcome = 'replayed';
    const peeked = await this.#peek(run);
    if (peeked.kind === 'kept') return { keep: this.#read(run, peeked.kept) };
    throw new IdempotencyError('IDEMPOTENCY_IN_PROGRESS', run.key, { retryAfter: SHORTEST_RETRY });
  }

  /** Reads, and takes the lock if nothing is kept: in one call of the nodes if the store is on them. Nodes that have a reply give no lock. */
  async #peekAndTake(run: OnceRun, note: OnceNote): Promise<{ readonly kept: Kept } | LockForOnce> {
    const peeking = this.#peek(run);
    const early = this.store.isOnLockNodes === true ? this.#takeEarly(run) : undefined;
    try {
      const peeked = await peeking;
      if (peeked.kind === 'kept') {
        early?.giveBack();
        return peeked;
      }
    } catch (error) {
      early?.giveBack('at once');
      throw error;
    }
    const taken = await early?.taking;
    if (taken !== undefined) return taken;
    if (early !== undefined) {
      // Nodes have a reply that was not there before: most calls need no lock for it.
      note.outcome = 'waited';
      const peeked = await this.#peek(run);
      if (peeked.kind === 'kept') return peeked;
    }
    const lock = await this.#locked(run, (options) => this.#service.acquire(run.key, options));
    return { lock, isOpened: false };
  }

  /** @throws IdempotencyError if what stands there belongs to another request */
  async #peek(run: OnceRun): Promise<Peeked> {
    const peeked = await this.#asked(run, this.store.peek(run.key));
    if (peeked.kind !== 'none') this.#compare(run, peeked.kind === 'kept' ? peeked.kept : peeked);
    return peeked;
  }

  /** Nodes that do not answer have an error of their own. */
  async #asked<T>({ key, label }: OnceRun, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (cause) {
      if (isLockError(cause)) throw cause;
      logger.error(coded('REDLOCK_W27', `The store of replies does not answer, so a call of ${label} failed`), cause);
      throw new IdempotencyError('IDEMPOTENCY_STORE_UNAVAILABLE', key, { cause, retryAfter: SHORTEST_RETRY });
    }
  }

  /** Resolves with undefined if something is kept. */
  #takeEarly(run: OnceRun): { readonly taking: Promise<LockForOnce | undefined>; giveBack(when?: 'at once'): void } {
    const abort = new AbortController();
    const { fingerprint, key, settings } = run;
    const opens = { fingerprint, ttl: settings.keep };
    const taking = this.#locked(run, (options) =>
      this.#service[ACQUIRE_ONCE](key, { ...options, signal: abort.signal }, opens),
    );
    const returned = async (): Promise<void> => {
      const taken = await taking;
      if (taken?.isOpened === true) await this.store.clear(key, attemptOf(run, taken.lock));
      await taken?.lock.release();
    };
    // Whoever waits for the lock gets the failure.
    taking.catch(ignore);
    return {
      taking,
      // If there is a reply, the call for the lock ends by itself; behind a plain lock of the same name it takes its turn first.
      giveBack: (when) => {
        returned().catch(ignore);
        if (when === 'at once') abort.abort();
      },
    };
  }

  async #underLock(run: OnceRun, { lock, isOpened }: LockForOnce, note: OnceNote): Promise<Attempted> {
    try {
      const attempt = attemptOf(run, lock);
      const opened: Opened = isOpened ? { kind: 'new' } : await this.#found(run, attempt, lock);
      if (opened.kind === 'superseded') return opened.kind;
      if (opened.kind === 'kept') {
        this.#compare(run, opened.kept);
        note.outcome = 'waited';
        return { keep: this.#read(run, opened.kept) };
      }
      if (opened.kind === 'interrupted') await this.#afterInterruption(run, attempt, opened.fingerprint);
      note.outcome = 'ran';
      note.fencingToken = attempt.token;
      const attempts = opened.kind === 'interrupted' ? opened.attempts + 1 : 1;
      return await new RunningAttempt(this, run, lock, note).finish(attempts);
    } finally {
      await lock.release();
    }
  }

  /** Opens the key, unless what stands there says that this call does not run: then nothing must supersede an attempt that goes on late. */
  async #found(run: OnceRun, attempt: Attempt, lock: Lock): Promise<Opened> {
    const peeked = await this.#peek(run);
    if (peeked.kind === 'kept') return peeked;
    if (peeked.kind === 'running' && run.settings.onInterrupted === 'refuse') throw this.#unknown(run, attempt);
    return this.#asked(run, this.#open(run, attempt, lock));
  }

  /** Opens the key; a store that does not answer for a moment is asked again as long as the lock is valid. */
  async #open({ key, settings }: OnceRun, attempt: Attempt, lock: Lock): Promise<Opened> {
    const end = monotonicNow() + Math.min(OPEN_TIMEOUT, settings.lock.waitTimeout ?? OPEN_TIMEOUT);
    for (;;) {
      try {
        return await this.store.open(key, attempt, settings.keep);
      } catch (error) {
        if (lock.isValid && monotonicNow() < end) {
          await pause();
          continue;
        }
        // The store may have opened it, and nothing runs.
        this.store.clear(key, attempt).catch(ignore);
        throw error;
      }
    }
  }

  /** An earlier attempt has left its mark: refuses another request, and any request if that is what the call asks for. */
  async #afterInterruption(run: OnceRun, attempt: Attempt, fingerprint: string | null): Promise<void> {
    const isOther = isAnother(run.fingerprint, fingerprint);
    const isRefused = run.settings.onInterrupted === 'refuse';
    if (!isOther && !isRefused) {
      this.#tell('interrupted', run, { fencingToken: attempt.token });
      return;
    }
    // The mark stays that of the earlier request.
    await this.store.open(run.key, { ...attempt, fingerprint }, run.settings.keep);
    throw isOther ? this.#reused(run) : this.#unknown(run, attempt);
  }

  #unknown(run: OnceRun, { token }: Attempt): IdempotencyError {
    this.#tell('interrupted', run, { fencingToken: token });
    return new IdempotencyError('IDEMPOTENCY_OUTCOME_UNKNOWN', run.key);
  }

  async #locked<T>({ key, label, settings }: OnceRun, take: (options: LockOptions) => Promise<T>): Promise<T> {
    const wait = settings.onBusy === 'reject' ? { waitTimeout: 0 } : {};
    try {
      return await take({ ...settings.lock, ...wait, label, autoExtend: true });
    } catch (cause) {
      if (!(cause instanceof ResourceLockedError)) throw cause;
      throw new IdempotencyError('IDEMPOTENCY_IN_PROGRESS', key, { cause, retryAfter: retryAfter(cause.retryAfter) });
    }
  }

  #compare(run: OnceRun, { fingerprint }: Pick<Kept, 'fingerprint'>): void {
    if (isAnother(run.fingerprint, fingerprint)) throw this.#reused(run);
  }

  #reused(run: OnceRun): IdempotencyError {
    this.#tell('reused', run);
    return new IdempotencyError('IDEMPOTENCY_KEY_REUSED', run.key);
  }

  #read({ key, label }: OnceRun, { record }: Kept): Outcome {
    try {
      return readRecord(record, key, this.encrypt);
    } catch (error) {
      throw this.unreadable(key, label, error);
    }
  }

  /** @throws TypeError, RangeError for lock options that no call of the pool could have */
  check({ lock }: OnceSettings): void {
    this.#service[CHECK](lock);
  }

  /** Closes the store once the holders of locks have finished, which keep their replies as the last thing that they do. */
  async close(): Promise<void> {
    await this.#service.onApplicationShutdown();
    await this.store.close?.();
  }

  /** Tells of a reply that cannot be read, and returns the error for its caller. */
  unreadable(key: string, label: string, cause: unknown): IdempotencyError {
    this.#tell('unreadable', { key, label }, { reason: String(cause) });
    return new IdempotencyError('IDEMPOTENCY_REPLY_UNREADABLE', key, { cause });
  }

  #tell(
    type: ReplyEvent['type'],
    run: Pick<OnceRun, 'key' | 'label'>,
    more: Pick<ReplyEvent, 'fencingToken' | 'reason'> = {},
  ): void {
    this.tell({ type, resources: [run.key], label: run.label, ...more });
  }

  tell(event: ReplyEvent): void {
    this.#service[EMIT](event);
  }
}

const BY_CODE: Readonly<Partial<Record<IdempotencyErrorCode, OnceOutcome>>> = {
  IDEMPOTENCY_KEY_REUSED: 'reused',
  IDEMPOTENCY_IN_PROGRESS: 'in_progress',
  IDEMPOTENCY_OUTCOME_UNKNOWN: 'unknown',
  IDEMPOTENCY_REPLY_NOT_KEPT: 'not_kept',
  IDEMPOTENCY_REPLY_UNREADABLE: 'unreadable',
  IDEMPOTENCY_STORE_UNAVAILABLE: 'unavailable',
};

function outcomeOf(error: unknown): OnceOutcome {
  if (error instanceof IdempotencyError) return BY_CODE[error.code] ?? 'error';
  return isLockError(error) ? 'unavailable' : 'error';
}

function isAnother(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

function retryAfter(left: number): number {
  return Number.isFinite(left) ? Math.max(SHORTEST_RETRY, left) : SHORTEST_RETRY;
}
