import { mistake } from '../engine/codes.js';
import type { ReplyEvent } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';
import { monotonicNow, setTimeout } from '../engine/native-timers.js';
import type { Encryption } from './encryption.js';
import { IdempotencyError } from './idempotency.errors.js';
import { type Ended, type OnceCall, type OnceNote, type OnceRun, runWithin } from './once-call.js';
import { keepable, type Outcome, toRecord } from './record.js';
import type { Attempt, ReplyStore, Sql } from './reply-store.js';

/** Ms for which a reply is sent again if the store does not confirm it. */
const KEEP_TIMEOUT = 2_000;
const PAUSE = 50;

/** How a call under its lock has ended. 'superseded': another attempt has taken over, and the record says what counts. */
export type Attempted = Ended | 'superseded';

/** Keeps replies, and tells of them. */
interface Keeper {
  readonly store: ReplyStore;
  readonly encrypt: Encryption | undefined;
  tell(event: ReplyEvent): void;
}

/** The work of one attempt, and the keeping of its outcome. */
export class RunningAttempt {
  readonly #attempt: Attempt;
  /** What `keepIn` has kept within a transaction. */
  #keptIn: { readonly outcome: Outcome; readonly record: string } | undefined;

  constructor(
    private readonly runner: Keeper,
    private readonly run: OnceRun,
    private readonly lock: Lock,
    private readonly note: OnceNote,
  ) {
    this.#attempt = attemptOf(run, lock);
  }

  async finish(attempts: number): Promise<Attempted> {
    const { run, note } = this;
    const { store } = this.runner;
    const call = this.#call(attempts);
    const ended = await runWithin(run.key, () => run.work(call));
    // A transaction that was tried again may find its first try committed: then the reply is kept, although the call has failed.
    if ('error' in ended && isSuperseded(ended.error, run.key)) {
      const { kind } = await store.open(run.key, this.#attempt, run.settings.keep);
      if (kind === 'kept' || kind === 'superseded') return 'superseded';
    }
    // What an interrupted attempt has left stays: the next one must look, too, whether the work was done.
    if (ended.keep === 'nothing' && attempts === 1) await store.clear(run.key, this.#attempt).catch(() => undefined);
    if (typeof ended.keep === 'string') return ended;
    const kept = this.#kept(ended.keep);
    if (kept === undefined) return ended;
    const [outcome, record] = kept;
    if (outcome.kind !== 'tombstone') note.size = Buffer.byteLength(record);
    const settled = await this.#settleOutcome(outcome, record);
    if (settled === 'superseded') return settled;
    if (outcome.kind === 'tombstone') this.#tell('tombstone', outcome.why);
    else if (settled === 'settled') this.#tell('kept');
    return { keep: outcome };
  }

  /** Keeps what the call has given, also if the transaction of `keepIn` was rolled back. If that was committed, its reply stands. */
  async #settleOutcome(outcome: Outcome, record: string): Promise<'settled' | 'superseded' | 'unkept'> {
    const keptIn = this.#keptIn;
    if (keptIn === undefined) return this.#settle(record);
    if (isSame(keptIn.outcome, outcome)) return this.#settle(keptIn.record);
    const settled = await this.#settle(record);
    if (settled !== 'superseded') return settled;
    const standing = await this.#settle(keptIn.record);
    if (standing === 'settled') this.#tell('reply-differs');
    return standing;
  }

  #call(attempts: number): OnceCall {
    const { run, lock } = this;
    return {
      key: run.key,
      attempt: attempts,
      previous: attempts > 1 ? 'interrupted' : 'none',
      fencingToken: lock.fencingToken,
      lock,
      get signal() {
        return lock.signal;
      },
      keepIn: (transaction, value) => this.#keepIn(transaction, value),
    };
  }

  async #keepIn(transaction: Sql, value: unknown): Promise<void> {
    const { run } = this;
    const { store } = this.runner;
    if (store.keepIn === undefined)
      throw mistake('REDLOCK_E12', 'keepIn needs a store that is a database, such as postgresStore({ query })');
    const [outcome, record] = this.#toKeep(await run.outcomeOf(value));
    const kept = await store.keepIn(transaction, run.key, this.#attempt, record, run.settings.keep);
    if (kept === 'superseded') throw new IdempotencyError('IDEMPOTENCY_SUPERSEDED', run.key);
    this.#keptIn = { outcome, record };
  }

  /**
   * Keeps a record, and tries again for a while. If the store is on the nodes of the lock, the release is in the same call: a node does both or none.
   * A node that was cut off may get the release later, and the record after that, or never. The next caller still finds the record, since a quorum
   * had it, and every quorum that opens the key includes one of those nodes. If no quorum had it, the next caller takes the attempt for interrupted.
   */
  async #settle(record: string): Promise<'settled' | 'superseded' | 'unkept'> {
    const { run, lock } = this;
    const { store } = this.runner;
    const end = monotonicNow() + KEEP_TIMEOUT;
    for (;;) {
      const settling = store.settle(run.key, this.#attempt, record, run.settings.keep);
      const releasing = store.isOnLockNodes === true ? lock.release() : undefined;
      try {
        const settled = await settling;
        await releasing;
        return settled;
      } catch (error) {
        if (monotonicNow() >= end) {
          this.#unkept(error);
          return 'unkept';
        }
        await pause();
      }
    }
  }

  /** The work is done: a record that cannot be made, such as by an encryption that fails, must not make its caller try again. */
  #kept(ended: Outcome): readonly [Outcome, string] | undefined {
    try {
      return this.#toKeep(ended);
    } catch (error) {
      this.#unkept(error);
      return undefined;
    }
  }

  #unkept(error: unknown): void {
    this.note.outcome = 'unkept';
    this.#tell('unkept', error instanceof Error ? error.message : undefined);
  }

  /** Returns what is kept of an outcome, and its record: those of a tombstone for what the store has no room for. */
  #toKeep(ended: Outcome): readonly [Outcome, string] {
    const { run } = this;
    const { store, encrypt } = this.runner;
    const { traceparent } = this.note;
    const small = { ...keepable(ended, run.settings.maxBytes), traceparent };
    const record = toRecord(small, run.key, encrypt);
    if (small.kind === 'tombstone') return [small, record];
    const isLong = Buffer.byteLength(record) > (store.maxRecordBytes ?? Infinity);
    const why = store.isFull?.() === true ? 'full' : 'size';
    if (why === 'size' && !isLong) return [small, record];
    const headers = small.kind === 'reply' ? small.headers : undefined;
    const tombstone = { kind: 'tombstone', why, headers, traceparent } as const;
    return [tombstone, toRecord(tombstone, run.key, encrypt)];
  }

  #tell(type: ReplyEvent['type'], reason?: string): void {
    const { run, lock } = this;
    this.runner.tell({ type, resources: [run.key], label: run.label, fencingToken: lock.fencingToken, reason });
  }
}

export function attemptOf({ fingerprint }: OnceRun, { fencingToken, value }: Lock): Attempt {
  return { token: fencingToken, owner: value, fingerprint };
}

/** Waits a moment before a store is asked again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

function isSuperseded(error: unknown, key: string): boolean {
  return error instanceof IdempotencyError && error.code === 'IDEMPOTENCY_SUPERSEDED' && error.key === key;
}

function isSame(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
