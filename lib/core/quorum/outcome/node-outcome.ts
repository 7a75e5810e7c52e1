import type { NodeOutcome } from '../../api/errors.js';
import type { AcquireAnswer, ExtendAnswer } from '../../port/lock-node.js';
import type { Votes } from '../votes.js';

/** A call, or what it came to. */
interface AnsweredCall {
  readonly nodes: readonly { readonly name: string }[];
  readonly answers: readonly (AcquireAnswer | ExtendAnswer | undefined)[];
}

/** Returns in words, for an error, what each node of a call answered. */
export function outcomesOf({ nodes, answers }: AnsweredCall): NodeOutcome[] {
  return nodes.map(({ name }, nodeIndex) => inWords(name, answers[nodeIndex]));
}

/** Returns in words, for an error, which nodes voted for a claim, over several rounds. */
export function votesInWords(nodes: AnsweredCall['nodes'], votes: Pick<Votes, 'has'>): NodeOutcome[] {
  return nodes.map(({ name }, nodeIndex) => ({ node: name, outcome: votes.has(nodeIndex) ? 'granted' : 'unknown' }));
}

/** Returns in words what a node answered; `answer` is undefined if the call was decided before the node answered. */
function inWords(node: string, answer: AcquireAnswer | ExtendAnswer | undefined): NodeOutcome {
  if (answer === undefined) return { node, outcome: 'pending', detail: 'not waited for' };
  if (answer.kind === 'unknown')
    return { node, outcome: answer.refused ? 'refused' : 'unknown', detail: answer.reason };
  if (answer.kind === 'held' || answer.kind === 'quarantined')
    return { node, outcome: answer.kind, detail: `${answer.remaining} ms left` };
  return { node, outcome: answer.kind };
}

/** Returns in words why too few nodes voted at all. */
export function whyUnavailable(nodes: readonly NodeOutcome[]): string {
  const count = (wanted: NodeOutcome['outcome']): number => nodes.filter(({ outcome }) => outcome === wanted).length;
  const [refused, silent] = [count('refused'), count('unknown')];
  if (refused === 0) return 'too few nodes answered';
  const others = silent > 0 ? `, and of ${silent} there is no answer` : '';
  return `${refused} of ${nodes.length} nodes refuse to vote${others}`;
}

/** Returns whether a node with this answer may have granted the claim; undefined stands for a node that has not answered yet. */
export function mayHave(answer: AcquireAnswer | undefined): boolean {
  return answer === undefined || answer.kind === 'granted' || (answer.kind === 'unknown' && answer.sent);
}
