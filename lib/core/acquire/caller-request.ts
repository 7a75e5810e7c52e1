import { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import type { Holders } from '../quorum/holders.js';
import { elapsed, type Moment } from '../time/clock.js';
import type { AcquireRequest, Acquired, Denial } from './request.js';

/** The request of one caller. It emits `contended` once at most, and `acquired` when the caller gets the lock. */
export class CallerRequest implements AcquireRequest {
  readonly resources: AcquireRequest['resources'];
  readonly terms: AcquireRequest['terms'];
  readonly budget: AcquireRequest['budget'];
  readonly start: Moment;
  readonly holding: AcquireRequest['holding'];
  /** The moment when the caller got the lock, after all that listeners of `acquired` did at once. */
  taken: Moment | undefined;
  #wasContended = false;
  /** The token that the listeners of `acquired` were told. */
  #fencingToken = 0;

  constructor(
    { resources, terms, budget, start, holding }: Omit<AcquireRequest, 'report'>,
    private readonly emit: LockListener,
    private readonly holders: Pick<Holders, 'find'>,
  ) {
    this.resources = resources;
    this.terms = terms;
    this.budget = budget;
    this.start = start;
    this.holding = terms.waitTimeout > 0 ? holding : undefined;
  }

  /** Whether the caller waits at all; a caller with a single attempt takes no place in a line. */
  get isPatient(): boolean {
    return this.terms.waitTimeout > 0 && this.terms.retryCount > 0;
  }

  /** Emits `acquired`. */
  acquired({ attempts, claim, passes = 0 }: Acquired, now: Moment): void {
    const waited = Math.round(this.budget.waitedUntil(now));
    const path = passes > 0 ? 'local' : this.#wasContended ? 'hand-off' : 'free';
    const fencingToken = (this.#fencingToken = claim.token + passes);
    this.taken = now;
    this.budget.note('won');
    this.emit({ type: 'acquired', resources: this.resources, waited, attempts, path, fencingToken });
  }

  /** Returns what the caller may begin with; undefined, after `released` or `lost`, if it has aborted since `acquired`, or if its lease is over. */
  begin(ready: Acquired | undefined, now: Moment): Acquired | undefined {
    const { resources } = this;
    const fencingToken = this.#fencingToken;
    if (this.budget.aborted) {
      this.emit({ type: 'released', resources, fencingToken, held: Math.round(elapsed(this.taken!, now)) });
      return undefined;
    }
    this.taken = now;
    if (ready && ready.validity.remainingAt(now) > 0) return ready;
    const error = new LockLostError(resources, 'pause', 'it was over before its caller could begin');
    this.emit({ type: 'lost', resources, fencingToken, error });
    return undefined;
  }

  /** Notes whether a quorum answered. Emits `contended` if somebody else has the resources. */
  report({ kind, holder }: Denial): void {
    this.budget.note(kind);
    if (kind !== 'contended') return;
    // Looked up now, so that the error after a wait in vain can name the holder.
    if (holder !== undefined) this.holders.find(holder);
    if (this.#wasContended) return;
    this.#wasContended = true;
    const { resources, holding } = this;
    this.emit({ type: 'contended', resources, ...(holding && { holding }) });
  }
}
