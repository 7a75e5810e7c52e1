import type { Clock, Moment } from '../time/clock.js';
import type { AcquireRequest, Acquired } from './polling.js';
import { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import type { Denied } from '../quorum/outcome.js';

/** The request of one caller. It emits `contended` once at most, and `acquired` when the caller gets the lock. */
export class CallerRequest implements AcquireRequest {
  readonly resources: AcquireRequest['resources'];
  readonly terms: AcquireRequest['terms'];
  readonly budget: AcquireRequest['budget'];
  /** The moment when the caller got the lock, read after the listeners of `acquired` have run. */
  taken: Moment | undefined;
  #reported = false;

  constructor(
    { resources, terms, budget }: Omit<AcquireRequest, 'onLost'>,
    private readonly emit: LockListener,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.budget = budget;
  }

  /** Emits `acquired` and returns true. If a listener of that event computes until the lease is over, it also emits `lost` and returns false. */
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
    if (kind !== 'contended' || this.#reported) return;
    this.#reported = true;
    this.emit({ type: 'contended', resources: this.resources });
  }
}
