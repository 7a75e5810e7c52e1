/**
 * The letters by which the batch script is asked and answers. A batch is one call of a script: of each operation it takes one letter,
 * and answers with one, so that a batch of hundred operations is short on the wire and quick to read for Lua.
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
  /** Lifts the fence counter to what is proposed. */
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

/** The verb for several resources, of each that can be for several. */
export const SEVERAL_OF = {
  [VERB.acquire]: VERB.acquireAll,
  [VERB.extend]: VERB.extendAll,
  [VERB.keep]: VERB.keepAll,
  [VERB.raise]: VERB.raiseAll,
  [VERB.release]: VERB.releaseAll,
  [VERB.makeRoom]: VERB.makeRoomForAll,
} as const;

/** What stands among the verbs and is no operation. */
export const DIRECTIVE = {
  /** From here on these are the terms, four words: ttl; "ttl of the waiter, its arrival, the same on the clock of the process"; token; tokens. */
  terms: '@',
  /** The next operation has a value of another length, one word. */
  value: '=',
} as const;

/** The first letter of a batch: whether the node is checked for what it may have forgotten. */
export const CHECK = {
  /** It is, before it votes. */
  checkedVote: 'c',
  /** Nothing asks for a vote, so that it is checked only before a line is served. */
  checkedLine: 'C',
  /** It is not, since the user of the pool does not want that: votes are asked for. */
  uncheckedVote: 'n',
  /** It is not, and nothing asks for a vote. */
  uncheckedLine: 'N',
} as const;

/** What a node answers to an operation, and the words that come along. */
export const ANSWER = {
  /** What was to be acquired is granted with the proposed token, what was to be extended is extended, and so on. */
  usual: '*',
  /** "token oldest": when the first of those came who wait behind it, in microseconds; "-" where nobody does, 0 where that is not told. */
  granted: 'g',
  /** Ms left, owner. */
  held: 'h',
  /** Ms until the node votes; -1 where nobody can tell. */
  quarantined: 'q',
  extended: 'x',
  missing: 'm',
  taken: 't',
  raised: 'u',
  released: 'd',
  gone: 'n',
  kept: 'k',
  passed: 'p',
  /** Why. */
  failed: '!',
} as const;

/** The owner of a key whose type is not that of a lock; no owner has a value with spaces. */
export const DATA_OF_OTHERS = 'data of another type';

/** How many words come with an answer. */
export const WORDS_OF_ANSWER: Readonly<Record<string, number>> = {
  [ANSWER.granted]: 1,
  [ANSWER.quarantined]: 1,
  [ANSWER.held]: 2,
  [ANSWER.failed]: 1,
};

/** The bytes of letters: what Lua compares quickest. */
export const BYTE = bytesOf({ ...VERB, ...DIRECTIVE });

/** Between the capital and the small letters: verbs beyond it are for several resources. */
export const LAST_SINGLE_BYTE = 'Z'.charCodeAt(0);

/** Characters of an ordinary value, of which many are packed into one word. */
export const VALUE_LENGTH = 27;

/** Characters that name the counter of a resource, packed likewise. */
export const COUNTER_LENGTH = 3;

/** The expression of Lua for the counter of a resource, by where its key is in KEYS: behind the three keys of the node. */
export function counterAt(at: string): string {
  return `sub(counters, ${COUNTER_LENGTH} * ${at} - 11, ${COUNTER_LENGTH} * ${at} - 9)`;
}

/** Where the clock of the node stands, in ms, in a number that answers for a whole batch. */
export const CLOCK_FACTOR = 1_024;

function bytesOf<Name extends string>(letters: Readonly<Record<Name, string>>): Readonly<Record<Name, number>> {
  const bytes = Object.entries<string>(letters).map(([name, letter]) => [name, letter.charCodeAt(0)]);
  return Object.fromEntries(bytes) as Record<Name, number>;
}
