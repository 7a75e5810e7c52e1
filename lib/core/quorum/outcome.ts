import type { QuorumCall } from './quorum-call.js';
import { QuorumNotReachedError, ResourceLockedError, type NodeOutcome, type RedlockError } from '../api/errors.js';
import type { AcquireAnswer, Held, Quarantined } from '../port/lock-node.js';
import { processMarkOf } from '../collections/random.js';
import { outcomesOf, whyUnavailable } from './node-outcome.js';
import type { OwnClaim } from './own-claim.js';
import { quorumOf } from './quorum.js';
import type { Moment } from '../time/clock.js';
import type { Validity } from '../time/validity.js';

/** A claim that a quorum of nodes granted. */
export interface Won {
  readonly kind: 'won';
  readonly claim: OwnClaim;
  readonly validity: Validity;
  /** How many callers of this process had the claim before, each of which has used up one fencing token. @default 0 */
  readonly turn?: number;
  /** When the first of them got the claim. @default none had it before */
  readonly taken?: Moment;
}

/** A quorum voted, but the fence counters of these votes do not agree enough for a token yet. */
export interface TokenPending {
  readonly kind: 'unsettled';
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
export function errorOf(outcome: Denied, resources: readonly string[]): RedlockError {
  if (outcome.kind === 'contended') return lockedError(outcome, resources);
  if (outcome.kind === 'quarantined') return quarantineError(outcome, resources);
  const why = outcome.kind === 'unavailable' ? whyUnavailable(outcome.nodes) : WHY[outcome.kind];
  return new QuorumNotReachedError(resources, outcome.nodes, why);
}

/** Returns the error, which names the process of the holder in its `cause`: for logs, and so that no enumerable property carries it. */
function lockedError(
  { retryAfter, nodes, holder }: Extract<Denied, { kind: 'contended' }>,
  resources: readonly string[],
): RedlockError {
  const error = new ResourceLockedError(resources, retryAfter, nodes);
  const cause = { value: { holder }, configurable: true, writable: true };
  return holder === undefined ? error : Object.defineProperty(error, 'cause', cause);
}

function quarantineError(
  { nodes, retryAfter }: Extract<Denied, { kind: 'quarantined' }>,
  resources: readonly string[],
): RedlockError {
  const out = nodes.filter(({ outcome }) => outcome === 'quarantined').length;
  const why =
    `at least ${out} of ${nodes.length} nodes are new, or were restarted or emptied a short time ago, and may have forgotten locks; ` +
    `locks are possible again in ${retryAfter} ms`;
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

/** Returns the outcome of a call that was lost; may wait `limit` ms for answers that tell one holder from several rivals. */
export async function denialOf(quorumCall: QuorumCall<AcquireAnswer>, limit: number): Promise<Denied> {
  if (!isClear(quorumCall) || !isTelling(quorumCall)) await quorumCall.rest(limit);
  return reasonOf(quorumCall);
}

/**
 * Returns why a call was lost. A node that has not answered yet counts as silent.
 * - contended: a quorum of nodes voted, for whichever owners.
 * - quarantined: fewer nodes voted, so that nobody can have the resource; a quorum can vote once quarantines are over.
 * - unavailable: fewer nodes voted, and waiting for the end of quarantines is not enough.
 */
export function reasonOf(quorumCall: QuorumCall<AcquireAnswer>): Denied {
  const nodes = outcomesOf(quorumCall);
  const quorum = quorumOf(quorumCall.nodes.length);
  const missing = quorum - votersOf(quorumCall);
  if (missing <= 0) {
    const held = heldBy(quorumCall);
    const hasQuorum = mostOfOne(held) >= quorum;
    const rivals = hasQuorum ? [] : held.map(({ owner }) => owner);
    const holder = hasQuorum ? holderOf(held) : undefined;
    return { kind: 'contended', nodes, retryAfter: freeIn(quorumCall, held), rivals, holder };
  }
  const quarantined = quorumCall.answers.filter((answer): answer is Quarantined => answer?.kind === 'quarantined');
  if (quarantined.length < missing) return { kind: 'unavailable', nodes };
  const surely = quorum - (quorumCall.nodes.length - quarantined.length);
  const earliest = surely > 0 ? quorumCall.asked + votesIn(quarantined, surely) : -Infinity;
  return { kind: 'quarantined', nodes, retryAfter: votesIn(quarantined, missing), earliest };
}

/** Returns whether the answers that are still missing make no difference to the reason. */
export function isTelling(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const quorum = quorumOf(quorumCall.nodes.length);
  if (!quorumCall.answers.includes(undefined) || votersOf(quorumCall) >= quorum) return true;
  return quorumCall.nodes.length - quorumCall.count(({ kind }) => kind === 'unknown') < quorum;
}

/** Returns how many nodes voted, for whichever owner. */
function votersOf(quorumCall: QuorumCall<AcquireAnswer>): number {
  return quorumCall.count(({ kind }) => kind === 'granted' || kind === 'held');
}

/** Returns whether the votes are split: nobody holds the resource, because no owner has a quorum. */
export function isSplit(outcome: Denied): boolean {
  return outcome.kind === 'contended' && outcome.rivals.length > 0;
}

/** Returns whether one owner has a quorum of the nodes, or no owner can reach one with the answers that are still missing. */
function isClear(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const most = mostOfOne(heldBy(quorumCall));
  const pending = quorumCall.answers.filter((answer) => answer === undefined).length;
  const quorum = quorumOf(quorumCall.nodes.length);
  return most >= quorum || most + pending < quorum;
}

function heldBy(quorumCall: QuorumCall<AcquireAnswer>): Held[] {
  return quorumCall.answers.filter((answer): answer is Held => answer?.kind === 'held');
}

/** Returns on how many nodes the most frequent owner has the resource; below a quorum, the votes were split. */
function mostOfOne(held: readonly Held[]): number {
  return Math.max(0, ...held.map(({ owner }) => held.filter((other) => other.owner === owner).length));
}

/** Returns the mark of the process that has the resource on most of the nodes. */
function holderOf(held: readonly Held[]): string | undefined {
  const owners = held.map(({ owner }) => owner);
  const most = owners.find((owner) => owners.filter((other) => other === owner).length > owners.length / 2);
  return most === undefined ? undefined : processMarkOf(most);
}

/** Returns the ms until a quorum of nodes could be free: the nodes that granted, and those whose leases of other owners end first. */
function freeIn(quorumCall: QuorumCall<AcquireAnswer>, held: readonly Held[]): number {
  const missing = quorumOf(quorumCall.nodes.length) - quorumCall.count((answer) => answer.kind === 'granted');
  const remaining = held.map((answer) => answer.remaining).sort((a, b) => a - b);
  return remaining[Math.min(missing, remaining.length) - 1] ?? 0;
}

/** Returns the ms until `missing` of the quarantined nodes vote again. */
function votesIn(quarantined: readonly Quarantined[], missing: number): number {
  const remaining = quarantined.map((answer) => answer.remaining).sort((a, b) => a - b);
  return Math.ceil(remaining[missing - 1] ?? 0);
}
