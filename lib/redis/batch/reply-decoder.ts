import type {
  AcquireAnswer,
  ExtendAnswer,
  Granted,
  RaiseAnswer,
  ReleaseAnswer,
  Unknown,
  YieldAnswer,
} from '../../core/port/lock-node.js';
import { nodeText } from '../connection/wire/node-text.js';
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

/** The kinds of answers that each verb can have; a vote is the answer to all the others. */
const OF_VOTE = 'granted held quarantined unknown';
const OF_EXTENSION = 'extended missing taken unknown';
const OF_RAISE = 'raised gone unknown';
const OF_RELEASE = 'released gone unknown';
const OF_YIELD = 'kept passed gone unknown';
const FITTING: Readonly<Partial<Record<Verb, string>>> = {
  [VERB.extend]: OF_EXTENSION,
  [VERB.extendAll]: OF_EXTENSION,
  [VERB.keep]: OF_EXTENSION,
  [VERB.keepAll]: OF_EXTENSION,
  [VERB.raise]: OF_RAISE,
  [VERB.raiseAll]: OF_RAISE,
  [VERB.release]: OF_RELEASE,
  [VERB.releaseAll]: OF_RELEASE,
  [VERB.releaseInLine]: OF_RELEASE,
  [VERB.makeRoom]: OF_RELEASE,
  [VERB.makeRoomForAll]: OF_RELEASE,
  [VERB.yield]: OF_YIELD,
};

/** Ms after which no date is valid any more. */
const LAST_DATE = 8.64e15;
/** Characters of a secret, which is a hash. */
const LONGEST_SECRET = 128;

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
  const letters = textOf(parts[0]) ?? '';
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

/** Returns an answer that can be one to this verb, or else that it is none of ours. */
export function fitting(verb: Verb, answer: NodeAnswer): NodeAnswer {
  return (FITTING[verb] ?? OF_VOTE).includes(answer.kind) ? answer : NONE_OF_OURS;
}

/** Returns a text of a reply; undefined if it is something else, such as a list. */
function textOf(word: unknown): string | undefined {
  return typeof word === 'string' || Buffer.isBuffer(word) ? word.toString() : undefined;
}

/** Returns a number of a reply, which may come as a text. */
function numberIn(word: unknown): number {
  const number = typeof word === 'number' ? word : Number(textOf(word) ?? NaN);
  return Number.isFinite(number) ? number : NaN;
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
  if (typeof value === 'number') return value < CLOCK_FACTOR ? undefined : dateOf(Math.floor(value / CLOCK_FACTOR));
  const last: unknown = Array.isArray(value) ? value.at(-1) : undefined;
  return typeof last === 'number' && last > LONGEST_QUARANTINE ? dateOf(last) : undefined;
}

function dateOf(ms: number): number | undefined {
  return ms <= LAST_DATE ? ms : undefined;
}

/** Returns the secret with which the node signs grants; it comes before the clock in every reply to a batch that put a claim in line. */
export function secretOf(reply: Reply): string | undefined {
  if (!reply.ok || !Array.isArray(reply.value)) return undefined;
  const told: unknown = reply.value.at(-2);
  const secret = Array.isArray(told) ? textOf(told[0]) : undefined;
  return secret === undefined || secret.length > LONGEST_SECRET ? undefined : secret;
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
  if (letter === ANSWER.granted) return granted(textOf(word) ?? String(numberIn(word)));
  if (letter === ANSWER.quarantined) return quarantined(numberIn(word));
  if (letter === ANSWER.held) return held(numberIn(word), textOf(parts[next + 1]));
  const reason = letter === ANSWER.failed ? textOf(word) : undefined;
  return reason === undefined ? NONE_OF_OURS : refusal(reason);
}

function held(remaining: number, owner: string | undefined): NodeAnswer {
  // PTTL answers -1 for a key that never expires, and -2 for one that is not there.
  if (owner === undefined || !(remaining >= -2)) return NONE_OF_OURS;
  return { kind: 'held', remaining: remaining === -1 ? Infinity : Math.max(0, remaining), owner: nodeText(owner) };
}

function without({ reason, sent }: Extract<Reply, { ok: false }>): Unknown {
  return { kind: 'unknown', reason, sent };
}

/** Returns the answer for an error. If a script failed, the error ends with the name and the line of the script, which are left out. */
export function refusal(text: string): Unknown {
  return {
    kind: 'unknown',
    reason: withoutKeys(nodeText(text)).replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?$/, ''),
    sent: true,
    refused: true,
  };
}

/** Reads a vote; without a token it is none. */
function granted(text: string): NodeAnswer {
  const parts = VOTE.exec(text);
  const [fence, oldest] = [Number(parts?.[1]), arrivalIn(parts?.[2])];
  return Number.isSafeInteger(fence) && oldest >= 0 ? { kind: 'granted', fence, oldest } : NONE_OF_OURS;
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
  if (!(remaining <= LONGEST_QUARANTINE)) return NONE_OF_OURS;
  return remaining < 0 ? { kind: 'unknown', reason: NO_INFO, sent: true } : { kind: 'quarantined', remaining };
}
