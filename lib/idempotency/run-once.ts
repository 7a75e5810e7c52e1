import { AsyncLocalStorage } from 'node:async_hooks';
import { ResourceLockedError } from '../engine/errors.js';
import type { ReplyEvent } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';
import { ignore, monotonicNow, setTimeout } from '../engine/native-timers.js';
import type { LockOptions } from '../engine/options.js';
import type { RedlockService } from '../redlock.service.js';
import type { LockForOnce } from '../engine/redlock.js';
import { ACQUIRE_ONCE, EMIT } from '../redlock.tokens.js';
import type { Encryption } from './encryption.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { OnceCall } from './once-call.js';
import { observed, type OnceNote } from './once-channel.js';
import type { Ended, Outcome } from './outcome.js';
import { keepable, readRecord, toRecord } from './record.js';
import type { Attempt, Kept, Opened, ReplyStore, Sql } from './reply-store.js';
import { RunningCalls, type SharingCall } from './running-calls.js';

/** What a run goes by, with all defaults filled in. Times in ms. */
export interface OnceSettings {
  readonly keep: number;
  readonly maxBytes: number;
  readonly onBusy: 'wait' | 'reject';
  readonly onInterrupted: 'rerun' | 'refuse';
  /** Options of the lock, as far as they differ from those of the pool. */
  readonly lock: Pick<LockOptions, 'ttl' | 'waitTimeout' | 'maxHold'>;
}

/** One call that is to run once for its key. */
export interface OnceRun {
  readonly key: string;
  readonly fingerprint: string | null;
  /** What stands for the key in telemetry: its template. */
  readonly label: string;
  readonly settings: OnceSettings;
  work(call: OnceCall): Promise<Ended>;
  /** Makes the outcome that `keepIn` keeps. */
  outcomeOf(value: unknown): Outcome | Promise<Outcome>;
}

/** 'own': the work of this very call ran, and what it ended with counts. 'replay': another call ran. */
export type OnceResult = { readonly kind: 'own' } | { readonly kind: 'replay'; readonly outcome: Outcome };

/** Ms for which a reply is sent again if the store does not confirm it. */
const KEEP_TIMEOUT = 2_000;
/** Ms for which a key is opened again and again if the store does not answer. */
const OPEN_TIMEOUT = 1_000;
const PAUSE = 50;
/** Ms: the shortest time after which a client is told to ask again. */
const SHORTEST_RETRY = 1_000;

/** The keys of the calls within which the code runs: one of these would wait for itself. */
const around = new AsyncLocalStorage<{ readonly call: OnceCall; readonly keys: readonly string[] }>();

/** Returns the call within which the code runs. */
export function currentCall(): OnceCall | undefined {
  return around.getStore()?.call;
}

/** What a call under its lock came to; 'superseded': another attempt has taken over, so that the record has to be read again. */
type Attempted = { readonly kind: 'ended'; readonly ended: Ended } | { readonly kind: 'superseded' };

/** Runs work once for its key: the first call runs it, all others get what it ended with. */
export class OnceRunner {
  readonly #calls: RunningCalls<Ended>;
  readonly store: ReplyStore;

  constructor(
    private readonly parts: {
      readonly service: Pick<RedlockService, 'acquire' | typeof ACQUIRE_ONCE | typeof EMIT>;
      readonly store: ReplyStore;
      readonly encrypt?: Encryption | undefined;
      /** The name of the pool. */
      readonly pool?: string | undefined;
    },
  ) {
    this.store = parts.store;
    this.#calls = new RunningCalls((run) => this.#tell('reused', run));
  }

  /** @throws IdempotencyError; the error of the work; what `acquire` throws */
  run(run: OnceRun): Promise<OnceResult> {
    const note: OnceNote = { pool: this.parts.pool, resources: [run.key], template: run.label };
    return observed(note, () => this.#run(run, note));
  }

  async #run(run: OnceRun, note: OnceNote): Promise<OnceResult> {
    if (around.getStore()?.keys.includes(run.key) === true)
      throw new TypeError(`A call within the call for "${run.label}" asks for the same key: it would wait for itself`);
    const { ended, isJoined } = await this.#calls.share(run, () => this.#settled(run, note));
    if (isJoined) note.outcome = 'joined';
    if ('error' in ended) throw ended.error;
    if (note.outcome === 'ran' || note.outcome === 'unkept') return { kind: 'own' };
    return this.#replay(run, ended.keep);
  }

  /** Runs the work, or finds what another call has ended with. */
  async #settled(run: OnceRun, note: OnceNote): Promise<Ended> {
    for (;;) {
      note.outcome = 'replayed';
      const taken = await this.#peekAndTake(run);
      if ('kept' in taken) return { keep: this.#read(run, taken.kept) };
      const attempted = await this.#underLock(run, taken, note);
      if (attempted.kind === 'ended') return attempted.ended;
      this.#tell('superseded', run);
    }
  }

  /** Reads, and takes the lock if nothing is kept: in one call of the nodes if the store lies on them, which give no lock where something is kept. */
  async #peekAndTake(run: OnceRun): Promise<{ readonly kept: Kept } | LockForOnce> {
    const peeking = this.store.peek(run.key);
    const early = this.store.isOnLockNodes === true ? this.#takeEarly(run) : undefined;
    try {
      const peeked = await peeking;
      if (peeked.kind !== 'none') this.#compare(run, peeked.kind === 'kept' ? peeked.kept : peeked);
      if (peeked.kind === 'kept') {
        early?.giveBack();
        return peeked;
      }
    } catch (error) {
      early?.giveBack('at once');
      throw error;
    }
    return (await early?.taking) ?? { lock: await this.#acquire(run), isOpened: false };
  }

  /** Resolves with undefined if something is kept. */
  #takeEarly(run: OnceRun): { readonly taking: Promise<LockForOnce | undefined>; giveBack(when?: 'at once'): void } {
    const abort = new AbortController();
    const { fingerprint, key, settings } = run;
    const opens = { fingerprint, ttl: settings.keep };
    const taking = this.#locked(run, (options) =>
      this.parts.service[ACQUIRE_ONCE](key, { ...options, signal: abort.signal }, opens),
    );
    const returned = async (): Promise<void> => {
      const taken = await taking;
      if (taken?.isOpened === true) await this.store.clear(key, attemptOf(run, taken.lock));
      await taken?.lock.release();
    };
    // Whoever waits for the lock hears of a failure.
    taking.catch(ignore);
    return {
      taking,
      // Where something is kept, the call for the lock ends by itself.
      giveBack: (when) => {
        returned().catch(ignore);
        if (when === 'at once') abort.abort();
      },
    };
  }

  async #underLock(run: OnceRun, { lock, isOpened }: LockForOnce, note: OnceNote): Promise<Attempted> {
    try {
      const attempt = attemptOf(run, lock);
      const opened: Opened = isOpened ? { kind: 'new' } : await this.#open(run, attempt, lock);
      if (opened.kind === 'superseded') return opened;
      if (opened.kind === 'kept') {
        this.#compare(run, opened.kept);
        note.outcome = 'waited';
        return { kind: 'ended', ended: { keep: this.#read(run, opened.kept) } };
      }
      if (opened.kind === 'interrupted') await this.#afterInterruption(run, attempt, opened.fingerprint);
      note.outcome = 'ran';
      note.fencingToken = attempt.token;
      const attempts = opened.kind === 'interrupted' ? opened.attempts + 1 : 1;
      return await new Attempting({ runner: this, run, attempt, lock, encrypt: this.parts.encrypt, note }).finish(
        attempts,
      );
    } finally {
      await lock.release();
    }
  }

  /** Opens the key; a store that does not answer for a moment is asked again as long as the lock is valid. */
  async #open({ key, settings }: OnceRun, attempt: Attempt, lock: Lock): Promise<Opened> {
    const end = monotonicNow() + Math.min(OPEN_TIMEOUT, settings.lock.waitTimeout ?? OPEN_TIMEOUT);
    for (;;) {
      try {
        return await this.store.open(key, attempt, settings.keep);
      } catch (error) {
        if (!lock.isValid || monotonicNow() >= end) throw error;
        await pause();
      }
    }
  }

  /** An earlier attempt has left its mark: refuses another request, and any request if that is what the call asks for. */
  async #afterInterruption(run: OnceRun, attempt: Attempt, fingerprint: string | null): Promise<void> {
    const isOther = isAnother(run.fingerprint, fingerprint);
    const isRefused = run.settings.onInterrupted === 'refuse';
    this.#tell('interrupted', run, { fencingToken: attempt.token });
    if (!isOther && !isRefused) return;
    // The mark of the earlier attempt stays as it was.
    await this.store.open(run.key, { ...attempt, fingerprint }, run.settings.keep);
    if (isOther) throw this.#reused(run);
    throw new IdempotencyError('IDEMPOTENCY_OUTCOME_UNKNOWN', run.key);
  }

  #acquire(run: OnceRun): Promise<Lock> {
    return this.#locked(run, (options) => this.parts.service.acquire(run.key, options));
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

  #read(run: OnceRun, { record }: Kept): Outcome {
    return readRecord(record, run.key, this.parts.encrypt);
  }

  #replay(run: OnceRun, outcome: Outcome): OnceResult {
    if (outcome.kind === 'tombstone')
      throw new IdempotencyError('IDEMPOTENCY_REPLY_NOT_KEPT', run.key, { headers: outcome.headers ?? [] });
    this.#tell('replayed', run);
    return { kind: 'replay', outcome };
  }

  #tell(
    type: ReplyEvent['type'],
    run: Pick<SharingCall, 'key' | 'label'>,
    more: Pick<ReplyEvent, 'fencingToken' | 'reason'> = {},
  ): void {
    this.tell({ type, resources: [run.key], label: run.label, ...more });
  }

  tell(event: ReplyEvent): void {
    this.parts.service[EMIT](event);
  }
}

/** The work of one attempt, and the keeping of what it ended with. */
class Attempting {
  /** What `keepIn` has kept within a transaction. */
  #keptIn: { readonly outcome: Outcome; readonly record: string } | undefined;

  constructor(
    private readonly parts: {
      readonly runner: OnceRunner;
      readonly run: OnceRun;
      readonly attempt: Attempt;
      readonly lock: Lock;
      readonly encrypt: Encryption | undefined;
      readonly note: OnceNote;
    },
  ) {}

  async finish(attempts: number): Promise<Attempted> {
    const { run, attempt, runner } = this.parts;
    const call = this.#call(attempts);
    const keys = [...(around.getStore()?.keys ?? []), run.key];
    const ended = await around.run({ call, keys }, () => run.work(call));
    // A transaction that was tried again may find its first try committed: then the reply is kept, although the call has failed.
    if ('error' in ended && isSuperseded(ended.error, run.key)) {
      const { kind } = await runner.store.peek(run.key);
      if (kind === 'kept') return { kind: 'superseded' };
    }
    if (ended.keep === 'nothing') await runner.store.clear(run.key, attempt).catch(() => undefined);
    if (typeof ended.keep === 'string') return { kind: 'ended', ended };
    const [outcome, record] = this.#toKeep(ended.keep);
    if (this.#keptIn !== undefined && !isSame(this.#keptIn.outcome, outcome)) this.#tell('reply-differs');
    this.parts.note.size = Buffer.byteLength(record);
    const settled = await this.#settle(this.#keptIn?.record ?? record);
    if (settled === 'superseded') return { kind: 'superseded' };
    if (settled === 'settled') this.#tell('kept');
    if (outcome.kind === 'tombstone') this.#tell('tombstone', outcome.why);
    return { kind: 'ended', ended: { keep: outcome } };
  }

  #call(attempts: number): OnceCall {
    const { run, attempt, lock } = this.parts;
    return {
      key: run.key,
      attempt: attempts,
      previous: attempts > 1 ? 'interrupted' : 'none',
      fencingToken: attempt.token,
      lock,
      get signal() {
        return lock.signal;
      },
      keepIn: (transaction, value) => this.#keepIn(transaction, value),
    };
  }

  async #keepIn(transaction: Sql, value: unknown): Promise<void> {
    const { run, attempt, runner } = this.parts;
    const { store } = runner;
    if (store.keepIn === undefined)
      throw new TypeError('keepIn needs a store that is a database, such as postgresStore({ query })');
    const [outcome, record] = this.#toKeep(await run.outcomeOf(value));
    const kept = await store.keepIn(transaction, run.key, attempt, record, run.settings.keep);
    if (kept === 'superseded') throw new IdempotencyError('IDEMPOTENCY_SUPERSEDED', run.key);
    this.#keptIn = { outcome, record };
  }

  /** Keeps a record, and tries again for a while; the lock is given back in the same call of the nodes if the store lies on them. */
  async #settle(record: string): Promise<'settled' | 'superseded' | 'unkept'> {
    const { run, attempt, runner, lock } = this.parts;
    const end = monotonicNow() + KEEP_TIMEOUT;
    for (;;) {
      const settling = runner.store.settle(run.key, attempt, record, run.settings.keep);
      const releasing = runner.store.isOnLockNodes === true ? lock.release() : undefined;
      try {
        const settled = await settling;
        await releasing;
        return settled;
      } catch (error) {
        if (monotonicNow() >= end) {
          this.parts.note.outcome = 'unkept';
          this.#tell('unkept', error instanceof Error ? error.message : undefined);
          return 'unkept';
        }
        await pause();
      }
    }
  }

  /** Returns what is kept of an outcome, and its record: those of a tombstone for what the store has no room for. */
  #toKeep(ended: Outcome): readonly [Outcome, string] {
    const { run, runner, encrypt } = this.parts;
    const { store } = runner;
    const small = keepable(ended, run.settings.maxBytes);
    const record = toRecord(small, run.key, encrypt);
    if (small.kind === 'tombstone') return [small, record];
    const why =
      store.isFull?.() === true
        ? 'full'
        : Buffer.byteLength(record) > (store.maxRecordBytes ?? Infinity)
          ? 'size'
          : undefined;
    if (why === undefined) return [small, record];
    const tombstone = { kind: 'tombstone', why, headers: small.kind === 'reply' ? small.headers : undefined } as const;
    return [tombstone, toRecord(tombstone, run.key, encrypt)];
  }

  #tell(type: ReplyEvent['type'], reason?: string): void {
    const { run, attempt, runner } = this.parts;
    runner.tell({ type, resources: [run.key], label: run.label, fencingToken: attempt.token, reason });
  }
}

function attemptOf({ fingerprint }: OnceRun, { fencingToken, value }: Lock): Attempt {
  return { token: fencingToken, owner: value, fingerprint };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

function isSuperseded(error: unknown, key: string): boolean {
  return error instanceof IdempotencyError && error.code === 'IDEMPOTENCY_SUPERSEDED' && error.key === key;
}

function isAnother(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}

function isSame(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function retryAfter(left: number): number {
  return Number.isFinite(left) ? Math.max(SHORTEST_RETRY, left) : SHORTEST_RETRY;
}
