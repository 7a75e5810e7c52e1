import type { Summary } from './seeds.js';

/** Ms between two lines. */
const EVERY = 20_000;

/** Tells a waiting person how far the run is, and at once what has failed. */
export class Progress {
  readonly #started: number;
  #told: number;
  #failed: number | undefined;

  constructor(
    private readonly seeds: number,
    private readonly write: (line: string) => void,
    private readonly now = (): number => performance.now(),
  ) {
    this.#started = now();
    this.#told = this.#started;
  }

  tell({ seeds, failed }: Summary): void {
    if (failed !== this.#failed) this.write(`seed ${failed} failed`);
    this.#failed = failed;
    const now = this.now();
    if (now - this.#told < EVERY) return;
    this.#told = now;
    const seconds = (now - this.#started) / 1_000;
    const rate = seeds / seconds;
    const left = Math.ceil((this.seeds - seeds) / rate / 60);
    this.write(`${seeds} of ${this.seeds} seeds, ${Math.round(rate)} seeds/s, ${left} min left`);
  }
}
