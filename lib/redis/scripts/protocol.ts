/**
 * The letters by which the batch script is asked and answers. A batch is one call of a script: of each operation it takes one letter,
 * and answers with one, so that a batch of a hundred operations is short on the wire and quick to read for Lua.
 */

/** Operations on one resource. */
const SINGLE = {
  /** Everything or nothing; grants again what already has the value. */
  acquire: 'A',
  /** Acquires, or takes a place in the line of waiters. */
  wait: 'W',
  /** Extends what has the value; never makes it shorter, since bytes of an old connection may arrive last. */
  extend: 'E',
  /** Lets what has the value end after its ttl, sooner or later than before. */
  keep: 'K',
  /** Raises the fence counter to the proposal. */
  raise: 'F',
  /** Releases, compare-and-delete (the Redis distributed-locks page), and serves the line. */
  release: 'R',
  /** Releases, leaves the line, and serves it. */
  releaseInLine: 'L',
  /** Releases and leaves the line, which the operation that follows serves. */
  makeRoom: 'S',
  /** Passes what has the value to an older waiter, and takes a place behind it. */
  yield: 'Y',
} as const;

/** The same for several resources, which have no line of their own: small letters, each with the number of its resources as a word. */
const SEVERAL = {
  acquireAll: 'a',
  extendAll: 'e',
  keepAll: 'k',
  raiseAll: 'f',
  releaseAll: 'r',
  makeRoomForAll: 's',
} as const;

export const VERB = { ...SINGLE, ...SEVERAL } as const;

export type Verb = (typeof VERB)[keyof typeof VERB];

/** For each verb that has one: the verb for several resources. */
export const SEVERAL_OF = {
  [VERB.acquire]: VERB.acquireAll,
  [VERB.extend]: VERB.extendAll,
  [VERB.keep]: VERB.keepAll,
  [VERB.raise]: VERB.raiseAll,
  [VERB.release]: VERB.releaseAll,
  [VERB.makeRoom]: VERB.makeRoomForAll,
} as const;

/** Letters among the verbs that are not operations. */
export const DIRECTIVE = {
  /** From here on these are the terms, four words: ttl; "ttl of the waiter, its arrival, the same on the clock of the process"; token; tokens. */
  terms: '@',
  /** The next operation has a value of another length, one word. */
  value: '=',
} as const;

/** The first letter of a batch: whether the node is checked for what it may have forgotten. */
export const CHECK = {
  /** Votes are asked for, and the node is checked before it votes. */
  checkedVote: 'c',
  /** No votes are asked for, so the node is checked only before it serves a line. */
  checkedLine: 'C',
  /** Votes are asked for, and the node is not checked (`restartQuarantine: false`). */
  uncheckedVote: 'n',
  /** No votes are asked for, and the node is not checked. */
  uncheckedLine: 'N',
} as const;

/** What a node answers to an operation, and the words that come along. */
export const ANSWER = {
  /** What was to be acquired is granted with the proposed token, what was to be extended is extended, and so on. */
  usual: '*',
  /** "token oldest": `oldest` is when the oldest waiter behind the claim came, in microseconds; `NOTHING` if nobody waits, 0 if that is not known. */
  granted: 'g',
  /** Words: the remaining ms, and the owner. */
  held: 'h',
  /** Word: ms until the node votes; -1 if that is not known. */
  quarantined: 'q',
  extended: 'x',
  missing: 'm',
  taken: 't',
  raised: 'u',
  released: 'd',
  gone: 'n',
  kept: 'k',
  passed: 'p',
  /** Word: the reason. */
  failed: '!',
} as const;

/** A word where there is nothing to say: the run of a node is not known, or nobody waits. */
export const NOTHING = '-';

/** The owner of a key whose type is not that of a lock; no owner has a value with spaces. */
export const DATA_OF_OTHERS = 'data of another type';

/** How many words come with an answer. */
export const WORDS_OF_ANSWER: Readonly<Record<string, number>> = {
  [ANSWER.granted]: 1,
  [ANSWER.quarantined]: 1,
  [ANSWER.held]: 2,
  [ANSWER.failed]: 1,
};

/** The bytes of the letters, which Lua compares more quickly than texts. */
export const BYTE = bytesOf({ ...VERB, ...DIRECTIVE });

/** Between the capital and the small letters: verbs beyond it are for several resources. */
export const LAST_SINGLE_BYTE = 'Z'.charCodeAt(0);

/** Characters of an ordinary value, of which many are packed into one word. */
export const VALUE_LENGTH = 27;

/** How many keys of the node stand in KEYS before those of the resources. */
export const NODE_KEYS = 3;

/** How many words stand in ARGV before those that some letters take. The run of the node follows them all, as the last one. */
export const FIXED_WORDS = 5;

/** Characters that name the counter of a resource; many are packed into one word, as values are. */
export const COUNTER_LENGTH = 3;

/** The Lua expression for the counter of a resource whose key is at `at` in KEYS; Lua counts keys and characters from 1. */
export function counterAt(at: string): string {
  const beforeLast = COUNTER_LENGTH * NODE_KEYS;
  const beforeFirst = beforeLast + COUNTER_LENGTH - 1;
  return `sub(counters, ${COUNTER_LENGTH} * ${at} - ${beforeFirst}, ${COUNTER_LENGTH} * ${at} - ${beforeLast})`;
}

/** Where the clock of the node stands, in ms, in a number that answers for a whole batch. */
export const CLOCK_FACTOR = 1_024;

function bytesOf<Name extends string>(letters: Readonly<Record<Name, string>>): Readonly<Record<Name, number>> {
  const bytes = Object.entries<string>(letters).map(([name, letter]) => [name, letter.charCodeAt(0)]);
  return Object.fromEntries(bytes) as Record<Name, number>;
}
