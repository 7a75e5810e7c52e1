import type { Clock } from '../../engine/clock.js';
import type { Answer, Peeked as PeekedOnNode, RecordOperation } from '../../engine/lock-node.js';
import { SystemClock } from '../../engine/system-clock.js';
import { MemoryRecords } from '../../memory/memory-records.js';
import type { Attempt, Kept, Opened, Peeked, RecordInfo, ReplyStore } from '../reply-store.js';

/** How many keys are opened before expired ones are removed. */
const SWEEP_EVERY = 1_024;

/** Keeps records as one node does. */
class MemoryStore implements ReplyStore {
  readonly #records: MemoryRecords;
  #opens = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#records = new MemoryRecords({ now: () => clock.now().monotonic });
  }

  async peek(key: string): Promise<Peeked> {
    const { found, running } = this.#peek(key) ?? {};
    if (found) return keptAs(found);
    return running ? { kind: 'running', fingerprint: running.fingerprint } : { kind: 'none' };
  }

  async open(key: string, attempt: Attempt, keep: number): Promise<Opened> {
    this.#opens += 1;
    // Reading all removes what has expired.
    if (this.#opens % SWEEP_EVERY === 0) void this.#records.resources;
    const opened = this.#ask({ kind: 'open', ...ballotOf(key, attempt), ttl: keep });
    if (opened.kind !== 'opened') return { kind: 'superseded' };
    const { attempts, before, found } = opened;
    if (found) return keptAs(found);
    if (attempts === 1) return { kind: 'new' };
    return { kind: 'interrupted', attempts: attempts - 1, fingerprint: before?.fingerprint ?? null };
  }

  async settle(key: string, attempt: Attempt, record: string, keep: number): Promise<'settled' | 'superseded'> {
    const { kind } = this.#ask({ kind: 'settle', ...ballotOf(key, attempt), record, ttl: keep });
    return kind === 'settled' ? kind : 'superseded';
  }

  async clear(key: string, attempt: Attempt): Promise<void> {
    this.#ask({ kind: 'clear', ...ballotOf(key, attempt) });
  }

  async forget(key: string): Promise<boolean> {
    const isThere = this.#peek(key) !== undefined;
    this.#ask({ kind: 'forget', resource: key });
    return isThere;
  }

  async describe(key: string): Promise<RecordInfo | undefined> {
    const peeked = this.#peek(key);
    if (peeked === undefined) return undefined;
    const { found, attempts, age, remaining } = peeked;
    const size = found ? Buffer.byteLength(found.record) : 0;
    return { key, state: found ? 'kept' : 'running', attempts, age, expiresIn: remaining, size };
  }

  async *list(pattern: string, limit: number): AsyncIterable<RecordInfo> {
    const fits = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's');
    const keys = this.#records.resources.filter((key) => fits.test(key)).sort();
    for (const key of keys.slice(0, limit)) yield (await this.describe(key))!;
  }

  #peek(key: string): PeekedOnNode | undefined {
    const peeked = this.#ask({ kind: 'peek', resource: key });
    return peeked.kind === 'peeked' ? peeked : undefined;
  }

  #ask(operation: RecordOperation): Answer {
    return this.#records.execute(operation, 0);
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

function keptAs({ fingerprint, record }: Kept) {
  return { kind: 'kept', kept: { fingerprint, record } } as const;
}

function ballotOf(key: string, { token, owner, fingerprint }: Attempt) {
  return { resource: key, token, value: owner, fingerprint };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
