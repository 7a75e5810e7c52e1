import { PROCESS_MARK_LENGTH, type Random } from '../../lib/core/collections/random.js';
import type { ProcessNote } from '../../lib/core/port/process-note.js';

/** The values of a process that begin with its mark, as those of the library do. */
export class MarkedValues implements Random {
  readonly processMark: string;
  #values = 0;

  constructor(
    name: string,
    private readonly dice: Random,
  ) {
    this.processMark = name.slice(-PROCESS_MARK_LENGTH);
  }

  value(): string {
    this.#values += 1;
    return `${this.processMark}${String(this.#values).padStart(21, '0')}`;
  }

  fraction(): number {
    return this.dice.fraction();
  }
}

export function noteOf(name: string): ProcessNote {
  return { host: name, pid: 1, version: '0.0.0', since: '2026-11-24T03:00:00.000Z' };
}
