import { DATA_OF_OTHERS } from '../../../lib/redis/scripts/protocol.js';
import type { Step } from './sequence.js';
import type { Echo } from './side.js';

/** All that a sequence can lead to. */
export const REACHED = [
  'acquire: granted',
  'acquire: held',
  'acquire: quarantined',
  'acquire: unknown',
  'count',
  'die',
  'extend: extended',
  'extend: missing',
  'extend: taken',
  'extend: unknown',
  'grant to another process',
  'grant to itself',
  'keep: extended',
  'keep: missing',
  'keep: taken',
  'keep: unknown',
  'leave to the next: gone',
  'leave to the next: released',
  'mark: emptied',
  'mark: new',
  'mark: of another run',
  'mark: trusted',
  'plant',
  'plant data of another type',
  'raise: gone',
  'raise: raised',
  'raise: unknown',
  'release: gone',
  'release: released',
  'vanish',
  'yield: gone',
  'yield: kept',
  'yield: passed',
];

/** Counts what was reached, so that a run that reaches little is seen. */
export class Census {
  readonly #counts = new Map<string, number>();

  /** What was reached at least so many times. */
  reached(times: number): string[] {
    const reached = [...this.#counts].filter(([, count]) => count >= times);
    return reached.map(([what]) => what).sort();
  }

  note(step: Step, { answers, told }: Echo): void {
    if (step.kind === 'plant' && step.value === DATA_OF_OTHERS) this.#count('plant data of another type');
    else if (step.kind === 'mark') this.#count(`mark: ${step.as}`);
    else if (step.kind !== 'ask') this.#count(step.kind);
    else step.batches.flat().forEach(({ verb }, index) => this.#count(`${verb}: ${answers[index]!.kind}`));
    for (const { process } of told) {
      this.#count(step.kind === 'ask' && process === step.process ? 'grant to itself' : 'grant to another process');
    }
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
