/** What one of the processes has told of a term: when, on the clock that they share. */
export interface Note {
  readonly what: 'elected' | 'aborted' | 'ended' | 'wrote' | 'cleaned';
  readonly by: number;
  readonly role: string;
  readonly term: number;
  /** Ms. */
  readonly at: number;
  /** Why a term has ended. */
  readonly reason?: string;
  /** Whether the store has refused a write. */
  readonly isRefused?: boolean;
}

/** The time for which a process has provably led. */
export interface Stretch {
  readonly role: string;
  readonly term: number;
  readonly from: number;
  readonly to: number;
}

/** What all processes of a test have told, in the order in which it came. */
export class Journal {
  readonly #notes: Note[] = [];
  readonly #listeners = new Set<() => void>();
  /** The largest number that has written for a role, as a store with a column for it has it. */
  readonly #fences = new Map<string, number>();

  add(note: Note): void {
    this.#notes.push(note.what === 'wrote' ? { ...note, isRefused: !this.#accepts(note) } : note);
    for (const look of this.#listeners) look();
  }

  of(role: string, what: Note['what']): Note[] {
    return this.#notes.filter((note) => note.role === role && note.what === what);
  }

  /** Resolves with the first note of this kind for 0, with the second one for 1, and so on. */
  async nth(count: number, role: string, what: Note['what']): Promise<Note> {
    return this.until(() => this.of(role, what)[count]);
  }

  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** For each election but the first, the ms since the clean-up of the term before it has ended. */
  gaps(role: string): number[] {
    const cleaned = new Map(this.of(role, 'cleaned').map(({ term, at }) => [term, at]));
    const elected = this.of(role, 'elected').sort((a, b) => a.at - b.at);
    return elected.slice(1).map(({ at }, index) => at - (cleaned.get(elected[index]!.term) ?? NaN));
  }

  #accepts({ role, term }: Note): boolean {
    const fence = this.#fences.get(role) ?? 0;
    if (fence > term) return false;
    this.#fences.set(role, term);
    return true;
  }
}

/** Returns what was wrong: two leaders at once, and a later leader without a greater number. */
export function faultsOf(stretches: readonly Stretch[]): string[] {
  const sorted = [...stretches].sort((a, b) => a.from - b.from);
  return sorted.slice(1).flatMap((next, index) => {
    const { term, to } = sorted[index]!;
    return [
      ...(next.from < to ? [`term ${next.term} began ${to - next.from} ms before the end of term ${term}`] : []),
      ...(next.term <= term ? [`term ${next.term} came after term ${term}`] : []),
    ];
  });
}
