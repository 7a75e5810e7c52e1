/** What a node notes about itself: its current run, and since when. */
export interface MemoryMarker {
  readonly run: number;
  readonly since: number;
  /** Ms: the greatest `maxTtl` that the node has had so far. */
  readonly maxTtl: number;
}

export interface MemoryTrustTerms {
  /** Ms that any lease may last at most. @default 30_000 */
  readonly maxTtl?: number;
  /** Keeps a node that may have forgotten locks from voting until these locks have ended. @default false */
  readonly restartQuarantine?: boolean;
}

/** Decides whether a node in memory may vote: not for `maxTtl` ms after it was started, emptied or set back. */
export class MemoryTrust {
  readonly maxTtl: number;
  readonly #isOn: boolean;
  #run = 1;
  marker: MemoryMarker | undefined;

  constructor(
    private readonly wall: () => number,
    { maxTtl = 30_000, restartQuarantine = false }: MemoryTrustTerms,
  ) {
    this.maxTtl = maxTtl;
    this.#isOn = restartQuarantine;
  }

  get run(): number {
    return this.#run;
  }

  restart(): void {
    this.#run += 1;
  }

  /** Returns the ms until the node votes; 0 if it votes now. */
  quarantine(): number {
    if (!this.#isOn) return 0;
    const now = this.wall();
    if (this.marker?.run !== this.#run || this.marker.since > now) {
      this.marker = { run: this.#run, since: now, maxTtl: Math.max(this.maxTtl, this.marker?.maxTtl ?? 0) };
    }
    return Math.max(0, this.marker.since + this.marker.maxTtl - now);
  }
}
