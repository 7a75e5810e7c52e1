import type { NodeOutcome } from '../api/errors.js';
import type { AcquireAnswer, ExtendAnswer } from '../port/lock-node.js';

/** What became of a question to a node, in words for an error; undefined where all was decided before it answered. */
export function outcomeOf(node: string, answer: AcquireAnswer | ExtendAnswer | undefined): NodeOutcome {
  if (answer === undefined) return { node, outcome: 'pending', detail: 'not waited for' };
  if (answer.kind === 'unknown')
    return { node, outcome: answer.refused ? 'refused' : 'unknown', detail: answer.reason };
  if (answer.kind === 'held' || answer.kind === 'quarantined')
    return { node, outcome: answer.kind, detail: `${answer.remaining} ms left` };
  return { node, outcome: answer.kind };
}

/** Why too few nodes gave a vote at all. */
export function whyUnavailable(nodes: readonly NodeOutcome[]): string {
  const count = (wanted: NodeOutcome['outcome']): number => nodes.filter(({ outcome }) => outcome === wanted).length;
  const [refused, silent] = [count('refused'), count('unknown')];
  if (refused === 0) return 'too few nodes answered';
  const others = silent > 0 ? `, and of ${silent} there is no answer` : '';
  return `${refused} of ${nodes.length} nodes refuse to vote${others}`;
}
