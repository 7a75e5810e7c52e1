import type { Clock, Moment } from '../time/clock.js';
import type { AcquireRequest, Acquired } from './polling.js';
import { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import type { Denied } from '../quorum/outcome.js';

/** What one caller wants; tells once that somebody else has it, and when it is ours. */
export class CallerRequest implements AcquireRequest {
  readonly resources: AcquireRequest['resources'];
  readonly terms: AcquireRequest['terms'];
  readonly budget: AcquireRequest['budget'];
  /** When it was ours at last. */
  taken: Moment | undefined;
  #told = false;

  constructor(
    { resources, terms, budget }: Omit<AcquireRequest, 'onLost'>,
    private readonly emit: LockListener,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.budget = budget;
  }

  /** Tells that it is ours; false where the program computed thereupon until the lease was over, which is told as its loss. */
  begin({ attempts, validity }: Acquired, now: Moment, clock: Clock): boolean {
    const { resources } = this;
    this.emit({ type: 'acquired', resources, waited: Math.round(this.budget.waitedUntil(now)), attempts });
    this.taken = clock.now();
    if (validity.remainingAt(this.taken) > 0) return true;
    const error = new LockLostError(resources, 'its listener of events computed for longer than the lease lasted');
    this.emit({ type: 'lost', resources, error });
    return false;
  }

  onLost({ kind }: Pick<Denied, 'kind'>): void {
    if (kind !== 'contended' || this.#told) return;
    this.#told = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
}
