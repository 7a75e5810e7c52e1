import { QuorumNotReachedError, ResourceLockedError, type NodeOutcome, type RedlockError } from './errors.js';
import type { Answer, Held, Quarantined } from './lock-node.js';
import { quorumOf } from './pool.js';
import { holderOf } from './process-mark.js';

/** Why an attempt did not get the resource. */
export type Denied =
  | {
      readonly kind: 'contended';
      readonly nodes: readonly NodeOutcome[];
      /** Ms until the resource would be free on a quorum if its holder did nothing more. */
      readonly retryAfter: number;
      /** The value that a quorum of the nodes has; undefined if the votes are split. */
      readonly owner: string | undefined;
    }
  | {
      readonly kind: 'quarantined';
      readonly nodes: readonly NodeOutcome[];
      readonly retryAfter: number;
      /** Ms after which a quorum can vote at the earliest, whichever nodes come back; 0 if that is not certain. */
      readonly earliest: number;
    }
  | {
      readonly kind: 'unavailable' | 'too slow' | 'no token' | 'blocked' | 'recorded';
      readonly nodes: readonly NodeOutcome[];
    };

/** The answers of the nodes so far; undefined for a node that has not answered yet. */
export type Answers = readonly (Answer | undefined)[];

const WHY = {
  'too slow': 'the answers took longer than the lease lasts',
  'no token': 'too few nodes agreed on a fencing token in time',
  recorded: 'its work is done already',
  blocked:
    'the lease had expired before this process could begin: its event loop was blocked for longer than the ttl; ' +
    'take a longer ttl, or compute in a worker thread',
} as const;

/** Returns the error for a caller that gives up. */
export function errorOf(denied: Denied, resources: readonly string[], holding?: readonly string[]): RedlockError {
  if (denied.kind === 'contended') {
    const error = new ResourceLockedError(resources, denied.retryAfter, denied.nodes, holding);
    const value = denied.owner === undefined ? undefined : holderOf(denied.owner);
    // Not enumerable, so that no answer to a client carries it.
    return value === undefined
      ? error
      : Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
  }
  if (denied.kind === 'quarantined') {
    const out = denied.nodes.filter(({ outcome }) => outcome === 'quarantined').length;
    const why =
      `${out} of ${denied.nodes.length} nodes are in quarantine (new, restarted, emptied or restored, or their clock was changed); ` +
      `locks are possible again in ${denied.retryAfter} ms`;
    return new QuorumNotReachedError(resources, denied.nodes, { why, retryAfter: denied.retryAfter });
  }
  const why = denied.kind === 'unavailable' ? whyUnavailable(denied.nodes) : WHY[denied.kind];
  return new QuorumNotReachedError(resources, denied.nodes, why);
}

/** Returns why an attempt was denied. A node that has not answered counts as silent. */
export function denialOf(names: readonly string[], answers: Answers): Denied {
  const nodes = outcomesOf(names, answers);
  const quorum = quorumOf(names.length);
  if (answers.some((answer) => answer?.kind === 'recorded')) return { kind: 'recorded', nodes };
  const held = answers.filter((answer): answer is Held => answer?.kind === 'held');
  const granted = answers.filter((answer) => answer?.kind === 'granted').length;
  const missing = quorum - held.length - granted;
  if (missing <= 0) {
    const owner = ownerOf(held, quorum);
    return { kind: 'contended', nodes, owner, retryAfter: Math.ceil(nth(held, quorum - granted)) };
  }
  const quarantined = answers.filter((answer): answer is Quarantined => answer?.kind === 'quarantined');
  if (quarantined.length < missing) return { kind: 'unavailable', nodes };
  const surely = quorum - (names.length - quarantined.length);
  const earliest = surely > 0 ? nth(quarantined, surely) : 0;
  return { kind: 'quarantined', nodes, retryAfter: Math.ceil(nth(quarantined, missing)), earliest };
}

/** Returns whether the answers that are still missing make no difference to the kind of the denial, nor to its owner. */
export function isClear(answers: Answers): boolean {
  const quorum = quorumOf(answers.length);
  const pending = answers.filter((answer) => answer === undefined).length;
  if (pending === 0) return true;
  const held = answers.filter((answer): answer is Held => answer?.kind === 'held');
  if (ownerOf(held, quorum) !== undefined) return true;
  const unusable = answers.filter(
    (answer) => answer !== undefined && answer.kind !== 'held' && answer.kind !== 'granted',
  );
  return answers.length - unusable.length < quorum && unusable.every(({ kind }) => kind !== 'quarantined');
}

/** Returns the ms until so many nodes more are free, if their holder does nothing. */
export function freeIn(answers: Answers, missing: number): number {
  const held = answers.flatMap((answer) => (answer?.kind === 'held' ? [answer.remaining] : []));
  return held.sort((a, b) => a - b)[missing - 1] ?? Infinity;
}

/** Returns in words, for an error, what each node answered. */
export function outcomesOf(names: readonly string[], answers: Answers): NodeOutcome[] {
  return names.map((node, index) => {
    const answer = answers[index];
    if (answer === undefined) return { node, outcome: 'pending', detail: 'not waited for' };
    if (answer.kind === 'unknown' || answer.kind === 'refused')
      return { node, outcome: answer.kind, detail: answer.reason };
    if (answer.kind === 'held' || answer.kind === 'quarantined')
      return { node, outcome: answer.kind, detail: `${Math.ceil(answer.remaining)} ms left` };
    return { node, outcome: answer.kind as NodeOutcome['outcome'] };
  });
}

function whyUnavailable(nodes: readonly NodeOutcome[]): string {
  const refused = nodes.filter(({ outcome }) => outcome === 'refused').length;
  const silent = nodes.filter(({ outcome }) => outcome === 'unknown').length;
  if (refused === 0) return 'too few nodes answered';
  return `${refused} of ${nodes.length} nodes refuse to vote${silent > 0 ? `, and ${silent} do not answer` : ''}`;
}

/** Returns the value that a quorum of the nodes has. */
function ownerOf(held: readonly Held[], quorum: number): string | undefined {
  return held.find(({ owner }) => held.filter((other) => other.owner === owner).length >= quorum)?.owner;
}

/** Returns the ms that the shortest `count` of these answers last. */
function nth(answers: readonly { readonly remaining: number }[], count: number): number {
  const remaining = answers.map((answer) => answer.remaining).sort((a, b) => a - b);
  return remaining[Math.min(count, remaining.length) - 1] ?? 0;
}
