import type {
  AcquireAnswer,
  ExtendAnswer,
  Granted,
  RaiseAnswer,
  ReleaseAnswer,
  Unknown,
  YieldAnswer,
} from '../../core/port/lock-node.js';
import type { Reply } from '../connection/wire/wire-command.js';
import { ANSWER, CLOCK_FACTOR, NOTHING, VERB, WORDS_OF_ANSWER, type Verb } from '../scripts/protocol.js';
import type { Batch } from './batch.js';
import { withoutKeys } from './lua.js';
import { isVote } from './verbs.js';

export type NodeAnswer = AcquireAnswer | YieldAnswer | ExtendAnswer | RaiseAnswer | ReleaseAnswer;

/** The answers that are a letter and nothing more. */
const SHORT: Readonly<Record<string, NodeAnswer>> = {
  [ANSWER.extended]: { kind: 'extended' },
  [ANSWER.missing]: { kind: 'missing' },
  [ANSWER.taken]: { kind: 'taken' },
  [ANSWER.raised]: { kind: 'raised' },
  [ANSWER.released]: { kind: 'released' },
  [ANSWER.gone]: { kind: 'gone' },
  [ANSWER.kept]: { kind: 'kept' },
  [ANSWER.passed]: { kind: 'passed' },
};

/** The usual answer to each verb that asks for no vote. */
const USUAL: Readonly<Partial<Record<Verb, NodeAnswer>>> = {
  [VERB.extend]: { kind: 'extended' },
  [VERB.extendAll]: { kind: 'extended' },
  [VERB.release]: { kind: 'released' },
  [VERB.releaseAll]: { kind: 'released' },
  [VERB.releaseInLine]: { kind: 'released' },
  [VERB.makeRoom]: { kind: 'released' },
  [VERB.makeRoomForAll]: { kind: 'released' },
  [VERB.yield]: { kind: 'kept' },
};

const NO_VOTE: Granted = { kind: 'granted', fence: NaN, oldest: Infinity };
const NONE_OF_OURS: NodeAnswer = { kind: 'unknown', reason: 'an answer that is none of ours', sent: true };

/** Ms that no quarantine lasts: a greater number at the end of a reply is the clock of the node. */
const LONGEST_QUARANTINE = 1e11;

/** Matches a vote: fence counter, and arrival of the oldest waiter behind the claim. */
const VOTE = /^(\d+)(?: (\S+))?$/;

/** Takes the answer to one operation of a batch. */
export type AnswerListener = (batch: Batch, index: number, answer: NodeAnswer) => void;

/** Calls `notify` with the answer to each operation of a batch, in order. */
export function readAnswers(batch: Batch, reply: Reply, notify: AnswerListener): void {
  const { length } = batch.verbs;
  if (!reply.ok) {
    const why = reply.refused ? refusal(reply.reason) : without(reply);
    for (let index = 0; index < length; index += 1) notify(batch, index, why);
    return;
  }
  if (typeof reply.value === 'number' && reply.value % CLOCK_FACTOR === length) return readUsual(batch, notify);
  const parts = Array.isArray(reply.value) ? (reply.value as unknown[]) : [reply.value];
  const head = parts[0] as Buffer | string | undefined;
  const letters = head === undefined ? '' : head.toString();
  let next = 1;
  for (let index = 0; index < length; index += 1) {
    const letter = letters[index] ?? '';
    notify(
      batch,
      index,
      letter === ANSWER.usual ? usual(batch, index) : (SHORT[letter] ?? readLong(letter, parts, next)),
    );
    next += WORDS_OF_ANSWER[letter] ?? 0;
  }
}

/** Reads a reply that says that all operations went as usual. Operations of the same ms have the same proposal, and share one vote object. */
function readUsual(batch: Batch, notify: AnswerListener): void {
  let vote = NO_VOTE;
  for (let index = 0; index < batch.verbs.length; index += 1) {
    const answer = usual(batch, index, vote);
    if (answer.kind === 'granted') vote = answer;
    notify(batch, index, answer);
  }
}

/** Returns the clock of the node, ms, which comes with every reply to a batch that asks for votes. */
export function nodeClockOf(reply: Reply): number | undefined {
  if (!reply.ok) return undefined;
  const { value } = reply;
  if (typeof value === 'number') return value < CLOCK_FACTOR ? undefined : Math.floor(value / CLOCK_FACTOR);
  const last: unknown = Array.isArray(value) ? value.at(-1) : undefined;
  return typeof last === 'number' && last > LONGEST_QUARANTINE ? last : undefined;
}

/** Returns the secret with which the node signs grants; it comes before the clock in every reply to a batch that put a claim in line. */
export function secretOf(reply: Reply): string | undefined {
  if (!reply.ok || !Array.isArray(reply.value)) return undefined;
  const told: unknown = reply.value.at(-2);
  return Array.isArray(told) ? String(told[0]) : undefined;
}

/** Returns the answer to an operation that went as usual; `vote` itself where that is the same. */
function usual({ verbs, questions }: Batch, index: number, vote = NO_VOTE): NodeAnswer {
  const verb = verbs[index]!;
  if (!isVote(verb)) return USUAL[verb] ?? NONE_OF_OURS;
  const { proposal } = questions[index]!;
  return vote.fence === proposal ? vote : { kind: 'granted', fence: proposal, oldest: Infinity };
}

/** Reads an answer that has more than its letter: its words begin at `next`. */
function readLong(letter: string, parts: readonly unknown[], next: number): NodeAnswer {
  const word = parts[next];
  if (letter === ANSWER.granted) return granted(String(word));
  if (letter === ANSWER.quarantined) return quarantined(Number(word));
  if (letter === ANSWER.held) {
    // PTTL answers -1 for a key that never expires, and -2 for one that is not there.
    const remaining = Number(word);
    return {
      kind: 'held',
      remaining: remaining === -1 ? Infinity : Math.max(0, remaining),
      owner: String(parts[next + 1]),
    };
  }
  return letter === ANSWER.failed ? refusal(String(word)) : NONE_OF_OURS;
}

function without({ reason, sent }: Extract<Reply, { ok: false }>): Unknown {
  return { kind: 'unknown', reason, sent };
}

/** Returns the answer for an error. If a script failed, the error ends with the name and the line of the script, which are left out. */
export function refusal(text: string): Unknown {
  return {
    kind: 'unknown',
    reason: withoutKeys(text).replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?$/, ''),
    sent: true,
    refused: true,
  };
}

/** Reads a vote; without a token it is none. */
function granted(text: string): NodeAnswer {
  const parts = VOTE.exec(text);
  return parts === null ? NONE_OF_OURS : { kind: 'granted', fence: Number(parts[1]), oldest: arrivalIn(parts[2]) };
}

/** Reads when a waiter arrived, microseconds; Infinity where nobody waits, 0 where that is not known. */
export function arrivalIn(text = '0'): number {
  return text === NOTHING ? Infinity : Number(text);
}

/**
 * Turns the answer to a release into the answer to a yield that was done by it. Without an answer it counts as sent, because it
 * may be owed and sent later.
 */
export function yieldedBy(answer: ReleaseAnswer): YieldAnswer {
  if (answer.kind === 'unknown') return { ...answer, sent: true };
  return { kind: answer.kind === 'released' ? 'passed' : 'gone' };
}

/** Why a node that cannot be asked which server it is does not vote. */
export const NO_INFO =
  'its user may not run INFO, by which a restart is noticed: allow it, or set restartQuarantine to false and accept that';

function quarantined(remaining: number): NodeAnswer {
  return remaining < 0 ? { kind: 'unknown', reason: NO_INFO, sent: true } : { kind: 'quarantined', remaining };
}
