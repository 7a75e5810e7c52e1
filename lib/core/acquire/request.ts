import type { RedlockError } from '../api/errors.js';
import type { HeldLease } from '../lease/lease-context.js';
import { errorOf, type Denied, type Won } from '../quorum/outcome/outcome.js';
import type { WaitBudget, WaitTerms } from '../quorum/outcome/wait-budget.js';
import type { Moment } from '../time/clock.js';
import type { LeaseTerms } from '../time/validity.js';

/** The share of a whole lease that must be left of a granted lock. With less, the waiter asks for a whole lease before it begins. */
export const LEAST_SHARE_LEFT = 0.92;

/** Why a caller does not have what it wants yet, and whose process has it. */
export type Denial = Pick<Denied, 'kind'> & { readonly holder?: string | undefined };

/** What one caller wants, whichever way it takes. */
export interface AcquireRequest {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms & WaitTerms;
  readonly budget: WaitBudget;
  /** A moment before anything is sent. In line, the lease of a free resource counts from here. */
  readonly start: Moment;
  /** All resources that the caller wants, if this request is for only one of them. */
  readonly wanted?: readonly string[] | undefined;
  /** Other resources that the code around a waiting caller holds. */
  readonly holding?: readonly string[] | undefined;
  /** The owner's random value, if other parts of the same lock share it. @default a new value */
  readonly value?: string | undefined;
  /** Called each time the resources are denied. */
  report(denial: Denial): void;
}

/** A won claim, and the number of attempts that it took. */
export type Acquired = Won & {
  readonly attempts: number;
  /** The leases of the parts of a lock on several resources. The lock takes their place before the callers that wait for them. */
  readonly parts?: readonly HeldLease[] | undefined;
};

/**
 * Returns a won claim with its number of attempts. The properties are named, because every lock comes by here: with `{ ...won, attempts }` the
 * client spends about 17 % more processor time on each lock of 256 callers at once. To measure it, compare a build of each kind:
 * `npm run bench -- --only alone --candidates ours --library <index.js>`.
 */
export function acquiredOf(won: Won, attempts: number, passes = won.passes ?? 0): Acquired {
  const { kind, claim, validity, firstTaken } = won;
  return { kind, claim, validity, passes, firstTaken, attempts };
}

/** Returns the error for a caller that gives up after this outcome; it names all resources that the caller wants. */
export function requestError(
  outcome: Denied,
  { resources, wanted = resources, holding }: AcquireRequest,
): RedlockError {
  return errorOf(outcome, wanted, holding);
}
