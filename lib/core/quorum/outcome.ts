import type { QuorumCall } from './quorum-call.js';
import type { Claim } from '../port/claim.js';
import { QuorumNotReachedError, ResourceLockedError, type NodeOutcome, type RedlockError } from '../api/errors.js';
import type { AcquireAnswer, Held, Quarantined } from '../port/lock-node.js';
import { outcomeOf, whyUnavailable } from './node-outcome.js';
import { quorumOf } from './quorum.js';
import type { Validity } from '../time/validity.js';

/** A claim that a quorum of nodes granted. */
export interface Won {
  readonly kind: 'won';
  readonly claim: Claim;
  readonly validity: Validity;
}

/** A quorum of votes whose fence counters do not agree enough for a token yet. */
export interface TokenPending {
  readonly kind: 'unsettled';
  /** Whether more votes may be on their way. */
  readonly awaited: boolean;
}

/** Why a round of asking every node was in vain. */
export type Denied =
  | {
      readonly kind: 'contended';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** The owners among whom the votes were split; none where one of them has a quorum. */
      readonly rivals: readonly string[];
    }
  | {
      readonly kind: 'quarantined';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** Before when no quorum can vote, whichever nodes come back: ms on the monotonic clock; -Infinity where that is not certain. */
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

/** The error for a caller who has had enough after this. */
export function errorOf(outcome: Denied, resources: readonly string[]): RedlockError {
  if (outcome.kind === 'contended') return new ResourceLockedError(resources, outcome.retryAfter, outcome.nodes);
  if (outcome.kind === 'quarantined') return quarantineError(outcome, resources);
  const why = outcome.kind === 'unavailable' ? whyUnavailable(outcome.nodes) : WHY[outcome.kind];
  return new QuorumNotReachedError(resources, outcome.nodes, why);
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

/** What a caller learns whose time is up before there is a connection. */
export function notConnected(nodes: readonly { readonly name: string }[]): Denied {
  const detail = 'not connected yet';
  return { kind: 'unavailable', nodes: nodes.map(({ name }) => ({ node: name, outcome: 'unknown', detail })) };
}

/** A quorum of votes whose fence counters could not be brought together. */
export function withoutToken(quorumCall: QuorumCall<AcquireAnswer>): Denied {
  return { kind: 'no token', nodes: outcomesOf(quorumCall) };
}

/** What a quorum call that was lost, or won too late, comes to; may wait for answers that tell one holder from rivals. */
export async function denialOf(
  quorumCall: QuorumCall<AcquireAnswer>,
  decision: 'won' | 'lost',
  limit: number,
): Promise<Denied> {
  if (decision === 'won') return { kind: 'too slow', nodes: outcomesOf(quorumCall) };
  if (!isClear(quorumCall) || !isTelling(quorumCall)) await quorumCall.rest(limit);
  return reasonOf(quorumCall);
}

/**
 * Contended where a quorum voted, for whichever callers. Where those with a vote are fewer, nobody can have the resource, whatever these say:
 * quarantined where waiting is all that is needed, else unavailable. Who has not answered yet counts as silent.
 */
export function reasonOf(quorumCall: QuorumCall<AcquireAnswer>): Denied {
  const nodes = outcomesOf(quorumCall);
  const quorum = quorumOf(quorumCall.nodes.length);
  const missing = quorum - votersOf(quorumCall);
  if (missing <= 0) {
    const held = heldBy(quorumCall);
    const rivals = mostOfOne(held) < quorum ? held.map(({ owner }) => owner) : [];
    return { kind: 'contended', nodes, retryAfter: freeIn(quorumCall, held), rivals };
  }
  const quarantined = quorumCall.answers.filter((answer): answer is Quarantined => answer?.kind === 'quarantined');
  if (quarantined.length < missing) return { kind: 'unavailable', nodes };
  const surely = quorum - (quorumCall.nodes.length - quarantined.length);
  const earliest = surely > 0 ? quorumCall.asked + votesIn(quarantined, surely) : -Infinity;
  return { kind: 'quarantined', nodes, retryAfter: votesIn(quarantined, missing), earliest };
}

/** Whether the answers that are still on their way make no difference to the reason. */
export function isTelling(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const quorum = quorumOf(quorumCall.nodes.length);
  if (!quorumCall.answers.includes(undefined) || votersOf(quorumCall) >= quorum) return true;
  return quorumCall.nodes.length - quorumCall.count(({ kind }) => kind === 'unknown') < quorum;
}

/** How many nodes voted, for whomever. */
function votersOf(quorumCall: QuorumCall<AcquireAnswer>): number {
  return quorumCall.count(({ kind }) => kind === 'granted' || kind === 'held');
}

/** Whether nobody holds the resource, though none of those who asked could have it. */
export function isSplit(outcome: Denied): boolean {
  return outcome.kind === 'contended' && outcome.rivals.length > 0;
}

/** Whether the answers so far tell one holder from several rivals, or at least that the rest could not. */
function isClear(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const most = mostOfOne(heldBy(quorumCall));
  const pending = quorumCall.answers.filter((answer) => answer === undefined).length;
  const quorum = quorumOf(quorumCall.nodes.length);
  return most >= quorum || most + pending < quorum;
}

function heldBy(quorumCall: QuorumCall<AcquireAnswer>): Held[] {
  return quorumCall.answers.filter((answer): answer is Held => answer?.kind === 'held');
}

/** On how many nodes the owner that has the most of them stands in our way; below a quorum, votes were split. */
function mostOfOne(held: readonly Held[]): number {
  return Math.max(0, ...held.map(({ owner }) => held.filter((other) => other.owner === owner).length));
}

/** Ms until so many of the leases in our way have ended that, with the nodes that granted, a quorum could be free. */
function freeIn(quorumCall: QuorumCall<AcquireAnswer>, held: readonly Held[]): number {
  const missing = quorumOf(quorumCall.nodes.length) - quorumCall.count((answer) => answer.kind === 'granted');
  const remaining = held.map((answer) => answer.remaining).sort((a, b) => a - b);
  return remaining[Math.min(missing, remaining.length) - 1] ?? 0;
}

/** Ms until so many of them vote again. */
function votesIn(quarantined: readonly Quarantined[], missing: number): number {
  const remaining = quarantined.map((answer) => answer.remaining).sort((a, b) => a - b);
  return Math.ceil(remaining[missing - 1] ?? 0);
}

function outcomesOf(quorumCall: QuorumCall<AcquireAnswer>): NodeOutcome[] {
  return quorumCall.nodes.map((node, index) => outcomeOf(node.name, quorumCall.answers[index]));
}
