import type { QuorumCall } from '../quorum-call.js';
import { QuorumNotReachedError, ResourceLockedError, type NodeOutcome, type RedlockError } from '../../api/errors.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import { MANY_MAY_HAVE_FORGOTTEN } from '../../port/quarantine-reasons.js';
import { outcomesOf, whyUnavailable } from './node-outcome.js';
import type { OwnClaim } from '../own-claim.js';
import type { Moment } from '../../time/clock.js';
import type { Validity } from '../../time/validity.js';

/** A claim that a quorum of nodes granted. */
export interface Won {
  readonly kind: 'won';
  readonly claim: OwnClaim;
  readonly validity: Validity;
  /** How often the claim has passed from one caller of this process to the next, each of which has used up one fencing token. @default 0 */
  readonly passes?: number;
  /** When the first of them got the claim. @default none had it before */
  readonly firstTaken?: Moment | undefined;
}

/** A quorum voted, but the fence counters of these votes do not agree enough for a token yet. */
export interface TokenPending {
  readonly kind: 'token pending';
  /** True if more votes may be on their way. */
  readonly awaited: boolean;
}

/** Why a round, in which every node was asked, did not get the resources. */
export type Denied =
  | {
      readonly kind: 'contended';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** The owners among whom the votes were split; empty if one of them has a quorum. */
      readonly rivals: readonly string[];
      /** The mark of the process that has a quorum, where it uses this library. */
      readonly holder?: string | undefined;
    }
  | {
      readonly kind: 'quarantined';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** Ms on the monotonic clock: before this, no quorum can vote, whichever nodes come back; -Infinity if that is not certain. */
      readonly earliest: number;
    }
  | { readonly kind: 'unavailable' | 'too slow' | 'no token' | 'blocked'; readonly nodes: readonly NodeOutcome[] };

const WHY = {
  'too slow': 'the answers took longer than the lease lasts',
  'no token': 'too few nodes agreed on a fencing token in time',
  blocked:
    'the lease was over before this process could begin: its event loop was blocked for longer than the ttl; ' +
    'take a longer ttl, or compute in a worker thread',
} as const;

/** Returns the error for a caller that gives up after this outcome. */
export function errorOf(outcome: Denied, resources: readonly string[], holding?: readonly string[]): RedlockError {
  if (outcome.kind === 'contended') return lockedError(outcome, resources, holding);
  if (outcome.kind === 'quarantined') return quarantineError(outcome, resources);
  const why = outcome.kind === 'unavailable' ? whyUnavailable(outcome.nodes) : WHY[outcome.kind];
  return new QuorumNotReachedError(resources, outcome.nodes, why);
}

/** Returns the error, which names the process of the holder in its `cause`: for logs, and so that no enumerable property carries it. */
function lockedError(
  { retryAfter, nodes, holder }: Extract<Denied, { kind: 'contended' }>,
  resources: readonly string[],
  holding?: readonly string[],
): RedlockError {
  const error = new ResourceLockedError(resources, retryAfter, nodes, holding);
  const cause = { value: { holder }, configurable: true, writable: true };
  return holder === undefined ? error : Object.defineProperty(error, 'cause', cause);
}

function quarantineError(
  { nodes, retryAfter }: Extract<Denied, { kind: 'quarantined' }>,
  resources: readonly string[],
): RedlockError {
  const out = nodes.filter(({ outcome }) => outcome === 'quarantined').length;
  const which = `${out} of ${nodes.length} nodes are ${MANY_MAY_HAVE_FORGOTTEN}`;
  const why = `${which}; locks are possible again in ${retryAfter} ms`;
  return new QuorumNotReachedError(resources, nodes, { why, retryAfter });
}

/** Returns the outcome for a caller whose time is up before the nodes are connected. */
export function notConnected(nodes: readonly { readonly name: string }[]): Denied {
  const detail = 'not connected yet';
  return { kind: 'unavailable', nodes: nodes.map(({ name }) => ({ node: name, outcome: 'unknown', detail })) };
}

/** Returns the outcome of a call in which a quorum voted, but the nodes did not agree on a fencing token. */
export function withoutToken(quorumCall: QuorumCall<AcquireAnswer>): Denied {
  return { kind: 'no token', nodes: outcomesOf(quorumCall) };
}

/** Returns the outcome of a call that was won when the lease was over already. */
export function tooSlow(quorumCall: QuorumCall<AcquireAnswer>): Denied {
  return { kind: 'too slow', nodes: outcomesOf(quorumCall) };
}

/** Returns whether the votes are split: nobody holds the resource, because no owner has a quorum. */
export function isSplit(outcome: Denied): boolean {
  return outcome.kind === 'contended' && outcome.rivals.length > 0;
}
