import type {
  Answer,
  ClearOperation,
  Found,
  Mark,
  OpenOperation,
  RecordOperation,
  SettleOperation,
} from '../engine/lock-node.js';

type Ballot = Pick<Mark, 'token' | 'value'>;

interface Entry {
  promised: Ballot;
  /** That of the record, or else of the promise. */
  fingerprint: string | null;
  attempts: number;
  /** Ms on the clock of the node: when the latest attempt came. */
  opened: number;
  /** The promise before this one: undefined if there was none, 'unknown' if it stands again already. */
  former: Ballot | 'unknown' | undefined;
  /** The fingerprint of the attempt before. */
  earlier: string | null;
  kept: (Ballot & { readonly record: string }) | undefined;
  /** Ms on the clock of the node. */
  expires: number;
}

/** Entries at which expired ones are removed for the first time. */
const FEW = 1_024;

/** The records of a node: what the script does on Redis, in JavaScript. */
export class MemoryRecords {
  readonly #entries = new Map<string, Entry>();
  #nextSweep = FEW;

  constructor(private readonly world: { /** Ms on the clock of the node. */ now(): number }) {}

  clear(): void {
    this.#entries.clear();
  }

  /** The resources under which something stands. */
  get resources(): string[] {
    return [...this.#entries.keys()].filter((resource) => this.#peek(resource, 0).kind !== 'nothing');
  }

  /** `quarantine`: ms for which the node does not vote. */
  execute(operation: RecordOperation, quarantine: number): Answer {
    const { kind, resource } = operation;
    this.#sweep();
    if (kind === 'open') return this.#open(operation, quarantine);
    if (kind === 'settle') return this.#settle(operation, quarantine);
    if (kind === 'peek') return this.#peek(resource, quarantine);
    const entry = this.#entry(resource);
    if (entry === undefined) return { kind: 'gone' };
    if (kind === 'clear') return this.#clear(operation, entry);
    this.#entries.delete(resource);
    return { kind: 'forgotten' };
  }

  #clear(operation: ClearOperation, entry: Entry): Answer {
    const isOther = entry.kept !== undefined || compare(operation, entry.promised) !== 0;
    if (isOther || entry.attempts === 0) return { kind: 'gone' };
    const { former, earlier } = entry;
    if (operation.isWithdrawn !== true) Object.assign(entry, { attempts: 0, fingerprint: null, earlier: null });
    else if (former === undefined) this.#entries.delete(operation.resource);
    else {
      if (former !== 'unknown') entry.promised = former;
      Object.assign(entry, { fingerprint: earlier, attempts: entry.attempts - 1, former: 'unknown', earlier: null });
    }
    return { kind: 'cleared' };
  }

  isKept(resource: string): boolean {
    return this.#entry(resource)?.kept !== undefined;
  }

  /** Opens; returns whether no attempt was there before. */
  openNew(operation: Omit<OpenOperation, 'kind'>): boolean {
    const answer = this.#open({ kind: 'open', ...operation }, 0);
    return answer.kind === 'opened' && answer.attempts === 1 && answer.found === undefined;
  }

  #open({ resource, token, value, fingerprint, ttl }: OpenOperation, quarantine: number): Answer {
    const former = this.#entry(resource);
    const order = former ? compare({ token, value }, former.promised) : 1;
    if (order < 0) return { kind: 'superseded' };
    const now = this.world.now();
    const [entry, found] = [former ?? emptyEntry(), former && this.#found(former)];
    const { promised, attempts, fingerprint: earlier } = entry;
    entry.promised = { token, value };
    if (found) return { kind: 'opened', attempts: attempts || 1, found, isQuarantined: quarantine > 0 };
    entry.fingerprint = fingerprint;
    entry.expires = Math.max(entry.expires, now + ttl);
    if (order > 0 || attempts === 0)
      Object.assign(entry, { former: former && promised, earlier, attempts: attempts + 1, opened: now });
    this.#entries.set(resource, entry);
    if (quarantine > 0) return { kind: 'quarantined', remaining: quarantine };
    return { kind: 'opened', attempts: entry.attempts, before: beforeOf(entry) };
  }

  #settle({ resource, token, value, fingerprint, record, ttl }: SettleOperation, quarantine: number): Answer {
    const entry = this.#entry(resource) ?? emptyEntry();
    if (compare({ token, value }, entry.promised) < 0) return { kind: 'superseded' };
    const [kept, expires] = [{ token, value, record }, this.world.now() + ttl];
    this.#entries.set(resource, { ...entry, promised: { token, value }, fingerprint, kept, expires });
    return quarantine > 0 ? { kind: 'quarantined', remaining: quarantine } : { kind: 'settled' };
  }

  #peek(resource: string, quarantine: number): Answer {
    if (quarantine > 0) return { kind: 'quarantined', remaining: quarantine };
    const entry = this.#entry(resource);
    if (entry === undefined || (entry.attempts === 0 && entry.kept === undefined)) return { kind: 'nothing' };
    const { promised, fingerprint, attempts, opened, expires } = entry;
    const [found, now] = [this.#found(entry), this.world.now()];
    const more = { attempts: attempts || 1, age: attempts === 0 ? 0 : now - opened, remaining: expires - now };
    return found
      ? { kind: 'peeked', found, ...more }
      : { kind: 'peeked', running: { ...promised, fingerprint }, ...more };
  }

  #found({ kept, fingerprint, expires }: Entry): Found | undefined {
    return kept && { ...kept, fingerprint, remaining: expires - this.world.now() };
  }

  /** Removes what has expired whenever the number of entries has doubled, so that each entry pays for it once. */
  #sweep(): void {
    if (this.#entries.size < this.#nextSweep) return;
    for (const resource of this.#entries.keys()) this.#entry(resource);
    this.#nextSweep = Math.max(FEW, 2 * this.#entries.size);
  }

  #entry(resource: string): Entry | undefined {
    const entry = this.#entries.get(resource);
    if (entry === undefined || entry.expires > this.world.now()) return entry;
    this.#entries.delete(resource);
    return undefined;
  }
}

function emptyEntry(): Entry {
  const promised = { token: -1, value: '' };
  return {
    promised,
    fingerprint: null,
    attempts: 0,
    opened: 0,
    former: undefined,
    earlier: null,
    kept: undefined,
    expires: -Infinity,
  };
}

function beforeOf({ attempts, former, earlier }: Entry): Mark | undefined {
  return attempts > 1 && former !== undefined && former !== 'unknown' ? { ...former, fingerprint: earlier } : undefined;
}

function compare(one: Ballot, other: Ballot): number {
  return one.token - other.token || Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
}
