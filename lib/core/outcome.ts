import type { Ballot } from './ballot.js';
import type { Claim } from './claim.js';
import { QuorumNotReachedError, ResourceLockedError, type NodeOutcome, type RedlockError } from './errors.js';
import type { AcquireAnswer, Held, Quarantined } from './lock-node.js';
import { quorumOf } from './quorum.js';
import type { Validity } from './validity.js';

/** A claim that a quorum of nodes granted. */
export interface Won {
  readonly kind: 'won';
  readonly claim: Claim;
  readonly validity: Validity;
  /** True where the lease is only a grace by which nodes hold it for a waiter, and is to be extended at once. */
  readonly provisional: boolean;
}

/** A quorum of votes whose fence counters do not agree enough for a token yet. */
export interface Unsettled {
  readonly kind: 'unsettled';
  /** Whether more votes may be on their way. */
  readonly awaited: boolean;
}

/** Why a round of asking every node was in vain. */
export type Lost =
  | {
      readonly kind: 'contended';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** The owners among whom the votes were split; none where one of them has a quorum. */
      readonly rivals: readonly string[];
    }
  | { readonly kind: 'quarantined'; readonly nodes: readonly NodeOutcome[]; readonly retryAfter: number }
  | { readonly kind: 'unavailable' | 'too slow' | 'no token'; readonly nodes: readonly NodeOutcome[] };

const WHY = {
  unavailable: 'too few nodes answered',
  'too slow': 'the answers took longer than the lease lasts',
  'no token': 'too few nodes agreed on a fencing token in time',
} as const;

/** The error for a caller who has had enough after this. */
export function errorOf(outcome: Lost, resources: readonly string[]): RedlockError {
  if (outcome.kind === 'contended') return new ResourceLockedError(resources, outcome.retryAfter, outcome.nodes);
  if (outcome.kind === 'quarantined') return quarantineError(outcome, resources);
  return new QuorumNotReachedError(resources, outcome.nodes, WHY[outcome.kind]);
}

function quarantineError(
  { nodes, retryAfter }: Extract<Lost, { kind: 'quarantined' }>,
  resources: readonly string[],
): RedlockError {
  const out = nodes.filter(({ outcome }) => outcome === 'quarantined').length;
  const why =
    `at least ${out} of ${nodes.length} nodes are new, or were restarted or emptied a short time ago, and may have forgotten locks; ` +
    `locks are possible again in ${retryAfter} ms`;
  return new QuorumNotReachedError(resources, nodes, { why, retryAfter });
}

/** A quorum of votes whose fence counters could not be brought together. */
export function withoutToken(ballot: Ballot<AcquireAnswer>): Lost {
  return { kind: 'no token', nodes: outcomesOf(ballot) };
}

/** What a ballot that was lost, or won too late, comes to; may wait for answers that tell one holder from rivals. */
export async function lossOf(ballot: Ballot<AcquireAnswer>, decision: 'won' | 'lost'): Promise<Lost> {
  if (decision === 'won') return { kind: 'too slow', nodes: outcomesOf(ballot) };
  if (!isClear(ballot) || reasonOf(ballot).kind === 'quarantined') await ballot.rest();
  return reasonOf(ballot);
}

/** Contended where enough nodes answered to have decided it the other way; unavailable where they did not. */
export function reasonOf(ballot: Ballot<AcquireAnswer>): Lost {
  const nodes = outcomesOf(ballot);
  const quorum = quorumOf(ballot.nodes.length);
  const unknown = ballot.count((answer) => answer.kind === 'unknown');
  if (ballot.nodes.length - unknown < quorum) return { kind: 'unavailable', nodes };
  const quarantined = ballot.answers.filter((answer): answer is Quarantined => answer?.kind === 'quarantined');
  const missing = quorum - (ballot.nodes.length - unknown - quarantined.length);
  if (missing > 0) return { kind: 'quarantined', nodes, retryAfter: votesIn(quarantined, missing) };
  const held = heldBy(ballot);
  const rivals = mostOfOne(held) < quorum ? held.map(({ owner }) => owner) : [];
  return { kind: 'contended', nodes, retryAfter: freeIn(ballot, held), rivals };
}

/** Whether nobody holds the resource, though none of those who asked could have it. */
export function isSplit(outcome: Lost): boolean {
  return outcome.kind === 'contended' && outcome.rivals.length > 0;
}

/** Whether the answers so far tell one holder from several rivals, or at least that the rest could not. */
function isClear(ballot: Ballot<AcquireAnswer>): boolean {
  const most = mostOfOne(heldBy(ballot));
  const pending = ballot.answers.filter((answer) => answer === undefined).length;
  const quorum = quorumOf(ballot.nodes.length);
  return most >= quorum || most + pending < quorum;
}

function heldBy(ballot: Ballot<AcquireAnswer>): Held[] {
  return ballot.answers.filter((answer): answer is Held => answer?.kind === 'held');
}

/** On how many nodes the owner that has the most of them stands in our way; below a quorum, votes were split. */
function mostOfOne(held: readonly Held[]): number {
  return Math.max(0, ...held.map(({ owner }) => held.filter((other) => other.owner === owner).length));
}

/** Ms until so many of the leases in our way have ended that, with the nodes that granted, a quorum could be free. */
function freeIn(ballot: Ballot<AcquireAnswer>, held: readonly Held[]): number {
  const missing = quorumOf(ballot.nodes.length) - ballot.count((answer) => answer.kind === 'granted');
  const remaining = held.map((answer) => answer.remaining).sort((a, b) => a - b);
  return remaining[Math.min(missing, remaining.length) - 1] ?? 0;
}

/** Ms until so many of them vote again. */
function votesIn(quarantined: readonly Quarantined[], missing: number): number {
  const remaining = quarantined.map((answer) => answer.remaining).sort((a, b) => a - b);
  return Math.ceil(remaining[missing - 1] ?? 0);
}

function outcomesOf(ballot: Ballot<AcquireAnswer>): NodeOutcome[] {
  return ballot.nodes.map((node, index) => describe(node.name, ballot.answers[index]));
}

function describe(node: string, answer: AcquireAnswer | undefined): NodeOutcome {
  if (answer === undefined) return { node, outcome: 'unknown', detail: 'not waited for' };
  if (answer.kind === 'held' || answer.kind === 'quarantined')
    return { node, outcome: answer.kind, detail: `${answer.remaining} ms left` };
  return answer.kind === 'granted' ? { node, outcome: 'granted' } : { node, outcome: 'unknown', detail: answer.reason };
}
