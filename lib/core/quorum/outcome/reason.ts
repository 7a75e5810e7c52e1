import { processMarkOf } from '../../collections/random.js';
import type { AcquireAnswer, HeldAnswer, Quarantined } from '../../port/lock-node.js';
import { outcomesOf } from './node-outcome.js';
import type { Denied } from './outcome.js';
import type { QuorumCall } from '../quorum-call.js';
import { quorumOf } from '../quorum.js';
import { timeForRound, type WaitBudget } from './wait-budget.js';

/**
 * Returns why a call was denied. If the answers so far do not tell whether the resource is held or too few nodes vote, waits for more answers, for at
 * most `timeForRound`. For a waiter in line, whose wait an abort ends.
 */
export function reasonForWaiter(call: QuorumCall<AcquireAnswer>, budget: WaitBudget): Denied | Promise<Denied> {
  if (isTelling(call)) return reasonOf(call);
  const early = (wake: () => void): void => call.whenHeard(() => isTelling(call) && wake());
  return budget.pause(timeForRound(budget), early).then(() => reasonOf(call));
}

/**
 * Returns why a call was denied. If the answers so far do not tell one holder from several rivals either, waits for all answers, for at most the shorter
 * of `limit` ms and one more timeout of the nodes. For a caller that polls, which repeats the round at once where rivals split the votes.
 */
export async function reasonForPoller(call: QuorumCall<AcquireAnswer>, limit: number): Promise<Denied> {
  if (!isClear(call) || !isTelling(call)) await call.rest(limit);
  return reasonOf(call);
}

/**
 * Returns why a call was denied. A node that has not answered yet counts as silent.
 * - contended: a quorum of nodes voted, for whichever owners.
 * - quarantined: fewer nodes voted, so that nobody can have the resource; a quorum can vote once quarantines are over.
 * - unavailable: fewer nodes voted, and waiting for the end of quarantines is not enough.
 */
function reasonOf(quorumCall: QuorumCall<AcquireAnswer>): Denied {
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
function isTelling(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const quorum = quorumOf(quorumCall.nodes.length);
  if (!quorumCall.answers.includes(undefined) || votersOf(quorumCall) >= quorum) return true;
  return quorumCall.nodes.length - quorumCall.count(({ kind }) => kind === 'unknown') < quorum;
}

/** Returns how many nodes voted, for whichever owner. */
function votersOf(quorumCall: QuorumCall<AcquireAnswer>): number {
  return quorumCall.count(({ kind }) => kind === 'granted' || kind === 'held');
}

/** Returns whether one owner has a quorum of the nodes, or no owner can reach one with the answers that are still missing. */
function isClear(quorumCall: QuorumCall<AcquireAnswer>): boolean {
  const most = mostOfOne(heldBy(quorumCall));
  const pending = quorumCall.answers.filter((answer) => answer === undefined).length;
  const quorum = quorumOf(quorumCall.nodes.length);
  return most >= quorum || most + pending < quorum;
}

function heldBy(quorumCall: QuorumCall<AcquireAnswer>): HeldAnswer[] {
  return quorumCall.answers.filter((answer): answer is HeldAnswer => answer?.kind === 'held');
}

/** Returns on how many nodes the most frequent owner has the resource; below a quorum, the votes were split. */
function mostOfOne(held: readonly HeldAnswer[]): number {
  return Math.max(0, ...held.map(({ owner }) => held.filter((other) => other.owner === owner).length));
}

/** Returns the mark of the process that has the resource on most of the nodes. */
function holderOf(held: readonly HeldAnswer[]): string | undefined {
  const owners = held.map(({ owner }) => owner);
  const most = owners.find((owner) => owners.filter((other) => other === owner).length > owners.length / 2);
  return most === undefined ? undefined : processMarkOf(most);
}

/** Returns the ms until a quorum of nodes could be free: the nodes that granted, and those whose leases of other owners end first. */
function freeIn(quorumCall: QuorumCall<AcquireAnswer>, held: readonly HeldAnswer[]): number {
  const missing = quorumOf(quorumCall.nodes.length) - quorumCall.count((answer) => answer.kind === 'granted');
  const remaining = held.map((answer) => answer.remaining).sort((a, b) => a - b);
  return remaining[Math.min(missing, remaining.length) - 1] ?? 0;
}

/** Returns the ms until `missing` of the quarantined nodes vote again. */
function votesIn(quarantined: readonly Quarantined[], missing: number): number {
  const remaining = quarantined.map((answer) => answer.remaining).sort((a, b) => a - b);
  return Math.ceil(remaining[missing - 1] ?? 0);
}
