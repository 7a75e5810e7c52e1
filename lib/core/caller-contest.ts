import type { Clock, Moment } from './clock.js';
import type { Contest, Victory } from './contention.js';
import { LockLostError } from './errors.js';
import type { LockListener } from './events.js';
import type { Lost } from './outcome.js';

/** What one caller wants; tells once that somebody else has it, and when it is ours. */
export class CallerContest implements Contest {
  readonly resources: Contest['resources'];
  readonly terms: Contest['terms'];
  readonly patience: Contest['patience'];
  /** When it was ours at last. */
  taken: Moment | undefined;
  #told = false;

  constructor(
    { resources, terms, patience }: Omit<Contest, 'onLost'>,
    private readonly emit: LockListener,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.patience = patience;
  }

  /** Tells that it is ours; false where the program computed thereupon until the lease was over, which is told as its loss. */
  begin({ attempts, validity }: Victory, now: Moment, clock: Clock): boolean {
    const { resources } = this;
    this.emit({ type: 'acquired', resources, waited: Math.round(this.patience.waitedUntil(now)), attempts });
    this.taken = clock.now();
    if (validity.remainingAt(this.taken) > 0) return true;
    const error = new LockLostError(resources, 'its listener of events computed for longer than the lease lasted');
    this.emit({ type: 'lost', resources, error });
    return false;
  }

  onLost({ kind }: Pick<Lost, 'kind'>): void {
    if (kind !== 'contended' || this.#told) return;
    this.#told = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
}
