import type { AcquireAnswer, LockNode, Question } from '../../lib/core/port/lock-node.js';
import type { VirtualClock } from './virtual-clock.js';

/** What a node answers to a claim, and after how many ms. */
export interface Saying {
  readonly answer: AcquireAnswer;
  readonly after: number;
}

/** A node that always says the same, whatever is done to it. */
export function answeringNode(name: string, { answer, after }: Saying, clock: VirtualClock): LockNode {
  const say =
    <A>(given: A) =>
    (question: Question<A>, nodeIndex: number): void =>
      void clock.schedule(0, () => question.answer(nodeIndex, given));
  return {
    name,
    acquire: (question, nodeIndex) => void clock.schedule(after, () => question.answer(nodeIndex, answer)),
    yield: say({ kind: 'kept' }),
    raise: say({ kind: 'gone' }),
    extend: say({ kind: 'missing' }),
    release: say({ kind: 'gone' }),
    probe: (answered) => void clock.schedule(0, () => answered({ kind: 'up' })),
    noteOf: (_mark, answered) => void clock.schedule(0, () => answered(undefined)),
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
