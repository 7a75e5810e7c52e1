import type { AcquireAnswer, ExtendAnswer, ReleaseAnswer, YieldAnswer } from '../core/lock-node.js';
import type { Batch, Verb } from './batch.js';
import type { Reply } from './wire-command.js';

export type NodeAnswer = AcquireAnswer | YieldAnswer | ExtendAnswer | ReleaseAnswer;

/** What each letter of the batch script's answer means. */
const ANSWERS: Readonly<Record<string, NodeAnswer>> = {
  g: { kind: 'granted' },
  x: { kind: 'extended' },
  m: { kind: 'missing' },
  t: { kind: 'taken' },
  d: { kind: 'released' },
  n: { kind: 'gone' },
  k: { kind: 'kept' },
  p: { kind: 'passed' },
};

/** What is usual for each verb. */
const USUAL: Readonly<Record<Verb, NodeAnswer>> = {
  A: { kind: 'granted' },
  W: { kind: 'granted' },
  E: { kind: 'extended' },
  R: { kind: 'released' },
  L: { kind: 'released' },
  S: { kind: 'released' },
  Y: { kind: 'kept' },
  a: { kind: 'granted' },
  e: { kind: 'extended' },
  r: { kind: 'released' },
};

/** Calls `tell` with the answer to each operation of a batch, in order. */
export function readAnswers(batch: Batch, reply: Reply, tell: (index: number, answer: NodeAnswer) => void): void {
  const { length } = batch.verbs;
  if (!reply.ok) {
    const why: NodeAnswer = { kind: 'unknown', reason: reply.reason, sent: reply.sent };
    for (let index = 0; index < length; index += 1) tell(index, why);
    return;
  }
  if (reply.value === length) {
    for (let index = 0; index < length; index += 1) tell(index, USUAL[batch.verbs[index]!]);
    return;
  }
  const parts = Array.isArray(reply.value) ? (reply.value as unknown[]) : [reply.value];
  const letters = String(parts[0]);
  let next = 1;
  const extra = (): unknown => parts[next++];
  for (let index = 0; index < length; index += 1) {
    const letter = letters[index] ?? '';
    const verb = batch.verbs[index]!;
    tell(index, letter === '*' ? USUAL[verb] : (ANSWERS[letter] ?? readLong(letter, extra)));
  }
}

/** An answer that comes with more than its letter. */
function readLong(letter: string, extra: () => unknown): NodeAnswer {
  if (letter === 'h') {
    // PTTL answers -1 for a key that never expires, and -2 for one that is not there.
    const left = Number(extra());
    return { kind: 'held', remaining: left === -1 ? Infinity : Math.max(0, left), owner: String(extra()) };
  }
  const reason = letter === '!' ? String(extra()) : 'an answer that is none of ours';
  return { kind: 'unknown', reason, sent: true };
}
