import { ResourceLockedError, type LockHolder } from '../api/errors.js';
import type { ProcessNote } from '../port/process-note.js';
import type { NodePool } from './node-pool.js';

/** How many processes are known at most. */
const MOST_KNOWN = 1_000;
/** Ms after which the nodes may be asked again for a note that none of them had. */
const ASK_AGAIN_AFTER = 5_000;

/** A process that was found to hold a lock. */
interface KnownProcess {
  /** What the errors have as their `cause`. The note is added to it once a node has answered. */
  readonly known: { readonly holder: string; process?: ProcessNote | undefined };
  /** When the nodes may be asked, ms on the monotonic clock; Infinity while they are asked. */
  due: number;
}

/**
 * Knows the processes that hold what callers of this process want, by their marks. No caller waits for it: all errors that name one process
 * have one object as their `cause`, which says by the mark who the process is at first, and more a round trip later.
 */
export class Holders {
  /** By mark, the oldest first. */
  readonly #entries = new Map<string, KnownProcess>();

  constructor(
    private readonly pool: Pick<NodePool, 'nodes' | 'clock'>,
    /** This process, where it has a note. */
    private readonly self?: LockHolder,
  ) {}

  /** Returns the process with this mark. Asks the nodes for its note, unless that is known, or the nodes were asked a moment ago. */
  find(mark: string): LockHolder {
    if (mark === this.self?.holder) return this.self;
    const entry = this.#entries.get(mark) ?? this.#enter(mark);
    if (entry.known.process === undefined && this.#now >= entry.due) this.#ask(entry);
    return entry.known;
  }

  /** Makes the process that an error names known to the error; returns that process, or undefined where the error names none. */
  nameIn(error: unknown): LockHolder | undefined {
    const cause = error instanceof ResourceLockedError ? error.cause : undefined;
    if (cause === undefined || cause.process !== undefined) return cause;
    const holder = this.find(cause.holder);
    // The property is there already, so it stays one that is not enumerable.
    Object.assign(error as ResourceLockedError, { cause: holder });
    return holder;
  }

  get #now(): number {
    return this.pool.clock.now().monotonic;
  }

  #enter(mark: string): KnownProcess {
    if (this.#entries.size === MOST_KNOWN) this.#entries.delete(this.#entries.keys().next().value!);
    const entry: KnownProcess = { known: { holder: mark }, due: -Infinity };
    this.#entries.set(mark, entry);
    return entry;
  }

  /** Asks all nodes; the first note is taken. */
  #ask(entry: KnownProcess): void {
    const { known } = entry;
    let missing = this.pool.nodes.length;
    entry.due = Infinity;
    const answered = (note: ProcessNote | undefined): void => {
      missing -= 1;
      known.process ??= note;
      if (missing === 0) entry.due = this.#now + ASK_AGAIN_AFTER;
    };
    for (const node of this.pool.nodes) node.noteOf(known.holder, answered);
  }
}
