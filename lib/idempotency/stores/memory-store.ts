import type { Clock } from '../../engine/clock.js';
import { SystemClock } from '../../engine/system-clock.js';
import type { Attempt, Opened, Peeked, RecordInfo, ReplyStore } from '../reply-store.js';

/** What stands under a key. Times in ms on the clock of the store. */
interface Entry {
  readonly attempt: Attempt;
  readonly attempts: number;
  /** What the attempt before this one was like. */
  readonly earlier: string | null;
  readonly record: string | null;
  readonly openedAt: number;
  readonly expiresAt: number;
}

/** Keys at which expired ones are removed for the first time. */
const FEW = 1_024;

class MemoryStore implements ReplyStore {
  readonly #entries = new Map<string, Entry>();
  #nextSweep = FEW;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async peek(key: string): Promise<Peeked> {
    const entry = this.#live(key);
    if (entry === undefined) return { kind: 'none' };
    const { record, attempt } = entry;
    const { fingerprint } = attempt;
    return record === null ? { kind: 'running', fingerprint } : { kind: 'kept', kept: { fingerprint, record } };
  }

  async open(key: string, attempt: Attempt, keep: number): Promise<Opened> {
    this.#sweep();
    const entry = this.#live(key);
    if (entry !== undefined && entry.record !== null)
      return { kind: 'kept', kept: { fingerprint: entry.attempt.fingerprint, record: entry.record } };
    if (entry !== undefined && compare(entry.attempt, attempt) > 0) return { kind: 'superseded' };
    const opened = this.#opened(entry, attempt, keep);
    this.#entries.set(key, opened);
    const { attempts, earlier: fingerprint } = opened;
    return attempts === 1 ? { kind: 'new' } : { kind: 'interrupted', attempts: attempts - 1, fingerprint };
  }

  async settle(key: string, attempt: Attempt, record: string, keep: number): Promise<'settled' | 'superseded'> {
    const entry = this.#live(key);
    if (entry !== undefined) {
      const order = compare(entry.attempt, attempt);
      const isRepeated = order === 0 && entry.record === record;
      if (order > 0 || (entry.record !== null && !isRepeated)) return 'superseded';
    }
    const { attempts, earlier, openedAt } = entry ?? this.#opened(undefined, attempt, keep);
    this.#entries.set(key, { attempt, attempts, earlier, openedAt, record, expiresAt: this.#now() + keep });
    return 'settled';
  }

  async clear(key: string, attempt: Attempt): Promise<void> {
    const entry = this.#live(key);
    if (entry?.record === null && entry.attempts === 1 && compare(entry.attempt, attempt) === 0)
      this.#entries.delete(key);
  }

  async forget(key: string): Promise<boolean> {
    return this.#live(key) !== undefined && this.#entries.delete(key);
  }

  async describe(key: string): Promise<RecordInfo | undefined> {
    const entry = this.#live(key);
    return entry && this.#infoOf(key, entry);
  }

  async *list(pattern: string, limit: number): AsyncIterable<RecordInfo> {
    const fits = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's');
    let listed = 0;
    for (const key of [...this.#entries.keys()].sort()) {
      if (listed === limit) return;
      const entry = this.#live(key);
      if (entry === undefined || !fits.test(key)) continue;
      listed += 1;
      yield this.#infoOf(key, entry);
    }
  }

  #opened(entry: Entry | undefined, attempt: Attempt, keep: number): Entry {
    const now = this.#now();
    const mark = { attempt, record: null, expiresAt: now + keep };
    if (entry === undefined) return { ...mark, attempts: 1, earlier: null, openedAt: now };
    const expiresAt = Math.max(mark.expiresAt, entry.expiresAt);
    if (compare(entry.attempt, attempt) === 0) return { ...entry, attempt, expiresAt };
    return { ...mark, attempts: entry.attempts + 1, earlier: entry.attempt.fingerprint, openedAt: now, expiresAt };
  }

  #infoOf(key: string, { record, attempts, openedAt, expiresAt }: Entry): RecordInfo {
    const now = this.#now();
    return {
      key,
      state: record === null ? 'running' : 'kept',
      attempts,
      age: now - openedAt,
      expiresIn: expiresAt - now,
      size: record === null ? 0 : Buffer.byteLength(record),
    };
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > this.#now() ? entry : undefined;
  }

  /** Removes what has expired whenever the number of keys has doubled, so that each key pays for it once. */
  #sweep(): void {
    if (this.#entries.size < this.#nextSweep) return;
    for (const key of this.#entries.keys()) if (this.#live(key) === undefined) this.#entries.delete(key);
    this.#nextSweep = Math.max(FEW, 2 * this.#entries.size);
  }

  #now(): number {
    return this.clock.now().monotonic;
  }
}

/**
 * Keeps replies in the memory of this process, for tests and for development with one process.
 * @param clock The clock of the store; by default the clock of the machine.
 */
export function memoryStore(
  clock: Pick<Clock, 'now'> = new SystemClock(),
): ReplyStore & Required<Pick<ReplyStore, 'list'>> {
  return new MemoryStore(clock);
}

/** The order of two attempts: that of their tokens, and for equal tokens that of their owners. */
function compare(one: Attempt, other: Attempt): number {
  if (one.token !== other.token) return one.token - other.token;
  if (one.owner === other.owner) return 0;
  return one.owner > other.owner ? 1 : -1;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
