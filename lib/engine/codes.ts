/**
 * The codes of all warnings, and of all errors of a definition, with their titles. docs/operate/troubleshooting.md has a heading for each code,
 * so a code keeps its meaning; a text may change. Errors of locks have codes of their own: `RedlockErrorCode`.
 */
export const CODES = {
  REDLOCK_W01: 'a node is down',
  REDLOCK_W02: 'a node refuses to vote',
  REDLOCK_W03: 'a node needs attention',
  REDLOCK_W04: 'hand-off is off',
  REDLOCK_W05: 'a node is in quarantine',
  REDLOCK_W06: 'no locks: too many nodes are in quarantine',
  REDLOCK_W07: 'no quorum',
  REDLOCK_W08: 'a lock was lost',
  REDLOCK_W09: 'a call that holds a lock waits for a lock',
  REDLOCK_W10: 'a key looks misspelt',
  REDLOCK_W11: 'a method is not async',
  REDLOCK_W12: 'an error reaches no caller',
  REDLOCK_W13: 'code of the application throws',
  REDLOCK_W14: 'a duration looks like seconds',
  REDLOCK_W15: 'an even number of nodes',
  REDLOCK_W16: 'the node is a master of Sentinel',
  REDLOCK_W17: 'the keyPrefix of a client is ignored',
  REDLOCK_W18: 'locks hold within this process only',
  REDLOCK_W19: 'the quarantine is off',
  REDLOCK_W20: 'a reply was not kept',
  REDLOCK_W21: 'an attempt was interrupted',
  REDLOCK_W22: 'a kept reply is unreadable',
  REDLOCK_W23: 'a key was used for another request',
  REDLOCK_W24: 'a reply is missing on some nodes',
  REDLOCK_W25: 'a replay differs from the first answer',
  REDLOCK_W26: 'requests are compared by length and type only',
  REDLOCK_W27: 'the store of replies does not answer',
  REDLOCK_W28: 'the work of a leader threw',
  REDLOCK_W29: 'two terms overlap in one process',
  REDLOCK_E01: 'an entry of nodes is malformed',
  REDLOCK_E02: 'two entries of nodes lead to one server',
  REDLOCK_E03: 'an option is unknown, or its value does not fit',
  REDLOCK_E04: 'a function of the library got the wrong arguments',
  REDLOCK_E05: 'two pools have one name',
  REDLOCK_E06: 'a key template is malformed',
  REDLOCK_E07: 'a key reads what is missing in every call',
  REDLOCK_E08: 'a decorator cannot work on this method',
  REDLOCK_E09: 'a nested call would wait for itself',
  REDLOCK_E10: 'too many resources in one lock',
  REDLOCK_E11: 'no quorum during startup',
  REDLOCK_E12: 'idempotency is set up incompletely',
  REDLOCK_E13: 'a value cannot be kept as a reply',
  REDLOCK_E14: 'a process is a candidate twice',
  REDLOCK_E15: 'one resource with and without a limit',
} as const;

type Code = keyof typeof CODES;
export type WarningCode = Extract<Code, `REDLOCK_W${string}`>;
export type MistakeCode = Extract<Code, `REDLOCK_E${string}`>;

/** A text with its code. The logger takes no other text for a warning or an error. */
export type Coded = `${string} [REDLOCK_W${number}]${string}`;

export function coded(code: WarningCode, text: string): Coded {
  return `${text} [${code}]`;
}

/** Returns the error for a mistake in options, in a definition or in a call, which no client can correct. */
export function mistake(code: MistakeCode, text: string, more: MoreOfMistake = {}): Mistake {
  const { Kind = TypeError, cause } = more;
  return Object.assign(new Kind(`${text} [${code}]`, cause === undefined ? undefined : { cause }), { code });
}

export type Mistake = Error & { readonly code: MistakeCode };

interface MoreOfMistake {
  readonly Kind?: typeof TypeError | typeof RangeError | typeof Error;
  readonly cause?: unknown;
}
