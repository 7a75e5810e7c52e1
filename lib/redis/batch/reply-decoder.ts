import type {
  AcquireAnswer,
  ExtendAnswer,
  Granted,
  RaiseAnswer,
  ReleaseAnswer,
  Unknown,
  YieldAnswer,
} from '../../core/port/lock-node.js';
import { isVote, type Batch, type Verb } from './batch.js';
import type { Reply } from '../connection/wire-command.js';

export type NodeAnswer = AcquireAnswer | YieldAnswer | ExtendAnswer | RaiseAnswer | ReleaseAnswer;

/** What each letter of the batch script's answer means. */
const ANSWERS: Readonly<Record<string, NodeAnswer>> = {
  x: { kind: 'extended' },
  m: { kind: 'missing' },
  t: { kind: 'taken' },
  u: { kind: 'raised' },
  d: { kind: 'released' },
  n: { kind: 'gone' },
  k: { kind: 'kept' },
  p: { kind: 'passed' },
};

/** How many words come with a letter. */
const WORDS: Readonly<Record<string, number>> = { g: 1, q: 1, h: 2, '!': 1 };

/** What is usual for each verb that asks for no vote. */
const USUAL: Readonly<Partial<Record<Verb, NodeAnswer>>> = {
  E: { kind: 'extended' },
  R: { kind: 'released' },
  L: { kind: 'released' },
  S: { kind: 'released' },
  Y: { kind: 'kept' },
  e: { kind: 'extended' },
  r: { kind: 'released' },
  s: { kind: 'released' },
};

const NO_VOTE: Granted = { kind: 'granted', fence: NaN, oldest: Infinity };
const NONE_OF_OURS: NodeAnswer = { kind: 'unknown', reason: 'an answer that is none of ours', sent: true };

/** Fence counter, and when the oldest of those came who wait behind it. */
const VOTE = /^(\d+)(?: (\S+))?$/;

/** Where the clock of the node stands in a number that answers for a whole batch. */
const CLOCK_AT = 1_024;

/** Told of the answer to one operation of a batch. */
export type AnswerListener = (batch: Batch, index: number, answer: NodeAnswer) => void;

/** Calls `tell` with the answer to each operation of a batch, in order. */
export function readAnswers(batch: Batch, reply: Reply, tell: AnswerListener): void {
  const { length } = batch.verbs;
  if (!reply.ok) {
    const why = reply.refused ? refusal(reply.reason) : without(reply);
    for (let index = 0; index < length; index += 1) tell(batch, index, why);
    return;
  }
  if (typeof reply.value === 'number' && reply.value % CLOCK_AT === length) return readUsual(batch, tell);
  const parts = Array.isArray(reply.value) ? (reply.value as unknown[]) : [reply.value];
  const head = parts[0] as Buffer | string | undefined;
  const letters = head === undefined ? '' : head.toString();
  let next = 1;
  for (let index = 0; index < length; index += 1) {
    const letter = letters[index] ?? '';
    tell(batch, index, letter === '*' ? usual(batch, index) : (ANSWERS[letter] ?? readLong(letter, parts, next)));
    next += WORDS[letter] ?? 0;
  }
}

/** Where all went as usual; what was asked for in the same ms comes with the same vote. */
function readUsual(batch: Batch, tell: AnswerListener): void {
  let vote = NO_VOTE;
  for (let index = 0; index < batch.verbs.length; index += 1) {
    const answer = usual(batch, index, vote);
    if (answer.kind === 'granted') vote = answer;
    tell(batch, index, answer);
  }
}

/** The clock of the node in ms, which comes with every batch that asks for votes. */
export function nodeClockOf(reply: Reply): number | undefined {
  if (!reply.ok) return undefined;
  const { value } = reply;
  if (typeof value === 'number') return value < CLOCK_AT ? undefined : Math.floor(value / CLOCK_AT);
  const last: unknown = Array.isArray(value) ? value.at(-1) : undefined;
  // Nothing else that may come last is a number so great.
  return typeof last === 'number' && last > 1e11 ? last : undefined;
}

/** The secret by which the node signs grants, which comes with every batch that put somebody in line. */
export function secretOf(reply: Reply): string | undefined {
  if (!reply.ok || !Array.isArray(reply.value)) return undefined;
  const { value } = reply;
  // Nothing else is a list in the list.
  const told: unknown = Array.isArray(value.at(-1)) ? value.at(-1) : value.at(-2);
  return Array.isArray(told) ? String(told[0]) : undefined;
}

/** What an operation is answered that went as usual; `vote` where that is the one. */
function usual({ verbs, questions }: Batch, index: number, vote = NO_VOTE): NodeAnswer {
  const verb = verbs[index]!;
  if (!isVote(verb)) return USUAL[verb] ?? NONE_OF_OURS;
  const { proposal } = questions[index]!;
  return vote.fence === proposal ? vote : { kind: 'granted', fence: proposal, oldest: Infinity };
}

/** An answer that comes with more than its letter: the words at `next`. */
function readLong(letter: string, parts: readonly unknown[], next: number): NodeAnswer {
  const word = parts[next];
  if (letter === 'g') return granted(String(word));
  if (letter === 'q') return quarantined(Number(word));
  if (letter === 'h') {
    // PTTL answers -1 for a key that never expires, and -2 for one that is not there.
    const left = Number(word);
    return { kind: 'held', remaining: left === -1 ? Infinity : Math.max(0, left), owner: String(parts[next + 1]) };
  }
  return letter === '!' ? refusal(String(word)) : NONE_OF_OURS;
}

function without({ reason, sent }: Extract<Reply, { ok: false }>): Unknown {
  return { kind: 'unknown', reason, sent };
}

/** Where a script failed, an error says at its end in which, and where. */
function refusal(text: string): Unknown {
  return {
    kind: 'unknown',
    reason: text.replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?$/, ''),
    sent: true,
    refused: true,
  };
}

/** Without a token it is no vote. */
function granted(text: string): NodeAnswer {
  const parts = VOTE.exec(text);
  return parts === null ? NONE_OF_OURS : { kind: 'granted', fence: Number(parts[1]), oldest: arrivalIn(parts[2]) };
}

/** When somebody came who waits, microseconds. */
export function arrivalIn(text = '0'): number {
  return text === '-' ? Infinity : Number(text);
}

/** What a release says to who yields by it. Without an answer it counts as sent, since it may be owed, and is sent later then. */
export function yieldedBy(answer: ReleaseAnswer): YieldAnswer {
  if (answer.kind === 'unknown') return { ...answer, sent: true };
  return { kind: answer.kind === 'released' ? 'passed' : 'gone' };
}

/** Why a node is out of the vote that cannot be asked who it is. */
export const NO_INFO =
  'its user may not run INFO, by which a restart is noticed: allow it, or set restartQuarantine to false and accept that';

function quarantined(remaining: number): NodeAnswer {
  return remaining < 0 ? { kind: 'unknown', reason: NO_INFO, sent: true } : { kind: 'quarantined', remaining };
}
