import { Ballot } from './ballot.js';
import { Claim } from './claim.js';
import type { NodeOutcome } from './errors.js';
import type { AcquireAnswer, Held } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { quorumOf } from './quorum.js';
import { Validity } from './validity.js';

export interface LeaseTerms {
  readonly ttl: number;
  readonly driftFactor: number;
}

/** What came of asking every node once. */
export type Attempt =
  | { readonly kind: 'won'; readonly claim: Claim; readonly validity: Validity }
  | {
      readonly kind: 'contended';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** The owners among whom the votes were split; none where one of them has a quorum. */
      readonly rivals: readonly string[];
    }
  | { readonly kind: 'unavailable' | 'too slow'; readonly nodes: readonly NodeOutcome[] };

/** Asks every node once for all resources; whatever was taken in vain is given back before this answers. */
export async function attempt(pool: NodePool, resources: readonly string[], lease: LeaseTerms): Promise<Attempt> {
  const since = pool.clock.now();
  const claim = new Claim(resources, pool.random.value());
  const ballot = pool.acquire(claim, lease.ttl);
  const outcome = await ballot.decision;
  const validity = Validity.of(since, lease.ttl, lease.driftFactor);
  if (outcome === 'won' && validity.remaining(pool.clock) > 0) return { kind: 'won', claim, validity };
  undo(ballot, claim, lease.ttl);
  if (outcome === 'won') return { kind: 'too slow', nodes: outcomesOf(ballot) };
  if (!isClear(ballot)) await ballot.rest();
  return reasonOf(ballot);
}

/** Gives back what an attempt took or may have taken; silence counts as taken, since a late command may still land. */
function undo(ballot: Ballot<AcquireAnswer>, claim: Claim, ttl: number): void {
  claim.withdraw();
  ballot.nodes.forEach((node, index) => {
    if (mayHold(ballot.answers[index])) node.release(claim, ttl, ignore);
  });
}

function ignore(): void {
  // The undo is a kindness to the next one in line: the lease ends by itself if it fails.
}

function mayHold(answer: AcquireAnswer | undefined): boolean {
  return answer === undefined || answer.kind === 'granted' || (answer.kind === 'unknown' && answer.sent);
}

/** Contended where enough nodes answered to have decided it the other way; unavailable where they did not. */
function reasonOf(ballot: Ballot<AcquireAnswer>): Attempt {
  const nodes = outcomesOf(ballot);
  const quorum = quorumOf(ballot.nodes.length);
  const unknown = ballot.count((answer) => answer.kind === 'unknown');
  if (ballot.nodes.length - unknown < quorum) return { kind: 'unavailable', nodes };
  const held = heldBy(ballot);
  const rivals = mostOfOne(held) < quorum ? held.map(({ owner }) => owner) : [];
  return { kind: 'contended', nodes, retryAfter: freeIn(ballot, held), rivals };
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

function outcomesOf(ballot: Ballot<AcquireAnswer>): NodeOutcome[] {
  return ballot.nodes.map((node, index) => describe(node.name, ballot.answers[index]));
}

function describe(node: string, answer: AcquireAnswer | undefined): NodeOutcome {
  if (answer === undefined) return { node, outcome: 'unknown', detail: 'not waited for' };
  if (answer.kind === 'held') return { node, outcome: 'held', detail: `${answer.remaining} ms left` };
  return answer.kind === 'granted' ? { node, outcome: 'granted' } : { node, outcome: 'unknown', detail: answer.reason };
}
