import { elapsed, type Clock, type Moment } from './clock.js';

export interface LeaseTerms {
  readonly ttl: number;
  readonly driftFactor: number;
}

/** Returns the ms that are subtracted from every lease for clocks that run at different rates: `ceil(ttl * driftFactor) + 2`. */
export function driftOf(ttl: number, driftFactor: number): number {
  return Math.ceil(ttl * driftFactor) + 2;
}

/** Until when the holder provably has a lease, counted from the moment before its first command was sent. */
export class Validity {
  constructor(
    readonly since: Moment,
    /** Ms, counted from `since`. */
    readonly length: number,
  ) {}

  static of(since: Moment, ttl: number, driftFactor: number): Validity {
    return new Validity(since, ttl - driftOf(ttl, driftFactor));
  }

  /** Returns the ms left; zero or less once the lease can no longer be proven. */
  remaining(clock: Clock): number {
    return this.remainingAt(clock.now());
  }

  remainingAt(now: Moment): number {
    return this.length - elapsed(this.since, now);
  }
}
