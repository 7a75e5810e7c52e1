import type { ReplyEvent } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';
import { monotonicNow, setTimeout } from '../engine/native-timers.js';
import type { Encryption } from './encryption.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { OnceCall } from './once-call.js';
import type { OnceNote } from './once-channel.js';
import { runWithin } from './once-context.js';
import type { OnceRun } from './once-run.js';
import type { Ended, Outcome } from './outcome.js';
import { keepable, toRecord } from './record.js';
import type { Attempt, ReplyStore, Sql } from './reply-store.js';
import { mistake } from '../engine/codes.js';

/** Ms for which a reply is sent again if the store does not confirm it. */
const KEEP_TIMEOUT = 2_000;
const PAUSE = 50;

/** What a call under its lock came to; 'superseded': another attempt has taken over, so that the record has to be read again. */
export type Attempted = { readonly kind: 'ended'; readonly ended: Ended } | { readonly kind: 'superseded' };

/** Who keeps replies, and tells of them. */
interface Keeper {
  readonly store: ReplyStore;
  readonly encrypt: Encryption | undefined;
  tell(event: ReplyEvent): void;
}

/** The work of one attempt, and the keeping of what it ended with. */
export class RunningAttempt {
  /** What `keepIn` has kept within a transaction. */
  #keptIn: { readonly outcome: Outcome; readonly record: string } | undefined;

  constructor(
    private readonly runner: Keeper,
    private readonly run: OnceRun,
    private readonly held: { readonly lock: Lock; readonly attempt: Attempt },
    private readonly note: OnceNote,
  ) {}

  async finish(attempts: number): Promise<Attempted> {
    const { run, held, runner } = this;
    const [{ attempt }, { store }] = [held, runner];
    const call = this.#call(attempts);
    const ended = await runWithin(call, () => run.work(call));
    // A transaction that was tried again may find its first try committed: then the reply is kept, although the call has failed.
    if ('error' in ended && isSuperseded(ended.error, run.key)) {
      const { kind } = await store.open(run.key, attempt, run.settings.keep);
      if (kind === 'kept' || kind === 'superseded') return { kind: 'superseded' };
    }
    if (ended.keep === 'nothing') await store.clear(run.key, attempt).catch(() => undefined);
    if (typeof ended.keep === 'string') return { kind: 'ended', ended };
    const kept = this.#kept(ended.keep);
    if (kept === undefined) return { kind: 'ended', ended };
    const [outcome, record] = kept;
    if (this.#keptIn !== undefined && !isSame(this.#keptIn.outcome, outcome)) this.#tell('reply-differs');
    if (outcome.kind !== 'tombstone') this.note.size = Buffer.byteLength(record);
    const settled = await this.#settle(this.#keptIn?.record ?? record);
    if (settled === 'superseded') return { kind: 'superseded' };
    if (settled === 'settled' && outcome.kind !== 'tombstone') this.#tell('kept');
    if (outcome.kind === 'tombstone') this.#tell('tombstone', outcome.why);
    return { kind: 'ended', ended: { keep: outcome } };
  }

  #call(attempts: number): OnceCall {
    const { run } = this;
    const { attempt, lock } = this.held;
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
    const { run, held, runner } = this;
    const { store } = runner;
    if (store.keepIn === undefined)
      throw mistake('REDLOCK_E12', 'keepIn needs a store that is a database, such as postgresStore({ query })');
    const [outcome, record] = this.#toKeep(await run.outcomeOf(value));
    const kept = await store.keepIn(transaction, run.key, held.attempt, record, run.settings.keep);
    if (kept === 'superseded') throw new IdempotencyError('IDEMPOTENCY_SUPERSEDED', run.key);
    this.#keptIn = { outcome, record };
  }

  /**
   * Keeps a record, and tries again for a while. If the store is on the nodes of the lock, the release is in the same call: a node does both or none.
   * A node that was cut off may get the release later, and the record after that, or never. The next caller still finds the record, since a quorum
   * had it, and every quorum that opens the key meets one of those nodes. If no quorum had it, the next caller takes the attempt for interrupted.
   */
  async #settle(record: string): Promise<'settled' | 'superseded' | 'unkept'> {
    const { run, runner } = this;
    const { store } = runner;
    const { attempt, lock } = this.held;
    const end = monotonicNow() + KEEP_TIMEOUT;
    for (;;) {
      const settling = store.settle(run.key, attempt, record, run.settings.keep);
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
    const { run, held, runner } = this;
    runner.tell({ type, resources: [run.key], label: run.label, fencingToken: held.attempt.token, reason });
  }
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
