import type { Answer, Found, Mark, Operation, RecordOperation } from '../engine/lock-node.js';

const LETTERS = { open: 'O', settle: 'S', peek: 'P', clear: 'C', forget: 'X' } as const;
/** The answers of a node as a rule: for a peek, that nothing stands. */
const USUAL = {
  open: { kind: 'opened', attempts: 1 },
  settle: { kind: 'settled' },
  peek: { kind: 'nothing' },
  clear: { kind: 'cleared' },
  forget: { kind: 'forgotten' },
} as const;

/** Returns whether an operation is for the record of a resource, and not for the lock. */
export function isOfRecord(operation: Operation): operation is RecordOperation {
  return operation.kind in LETTERS;
}

/** Returns the words of an operation on a record: a letter, two words, and those that belong to the letter. */
export function wordsOfRecord(operation: RecordOperation): readonly string[] {
  const letter = operation.kind === 'clear' && operation.isWithdrawn ? 'W' : LETTERS[operation.kind];
  if (operation.kind === 'peek' || operation.kind === 'forget') return [letter, '', ''];
  const words = [letter, operation.value, `${operation.token}`];
  if (operation.kind === 'clear') return words;
  words.push(operation.fingerprint ?? '', `${Math.ceil(operation.ttl)}`);
  return operation.kind === 'settle' ? [...words, operation.record] : words;
}

/** Returns the answer of a node on which all was as usual. */
export function usualOfRecord({ kind }: RecordOperation): Answer {
  return USUAL[kind];
}

/** Reads an answer of several parts; returns undefined for one that cannot be read. */
export function recordAnswerOf(
  { kind }: RecordOperation,
  letter: unknown,
  parts: readonly unknown[],
): Answer | undefined {
  if (letter === 's' && (kind === 'open' || kind === 'settle')) return { kind: 'superseded' };
  if (kind === 'open') return openedOf(letter, parts);
  return kind === 'peek' ? peekedOf(letter, parts) : undefined;
}

function openedOf(letter: unknown, parts: readonly unknown[]): Answer | undefined {
  if (letter === 'v') {
    const found = foundIn(parts);
    return found && { kind: 'opened', attempts: Number(parts[4]), found, isQuarantined: parts[6] === 1 };
  }
  const [attempts, ballot, fingerprint] = parts;
  const before = ballot === '' ? undefined : markOf(ballot, fingerprint);
  return letter === 'o' && Number(attempts) > 0 ? { kind: 'opened', attempts: Number(attempts), before } : undefined;
}

function peekedOf(letter: unknown, parts: readonly unknown[]): Answer | undefined {
  if (letter === 'v') {
    const found = foundIn(parts);
    const { remaining = 0 } = found ?? {};
    return found && { kind: 'peeked', found, attempts: Number(parts[4]), age: Number(parts[5]), remaining };
  }
  const [ballot, fingerprint, attempts, age, remaining] = parts;
  const running = letter === 'p' ? markOf(ballot, fingerprint) : undefined;
  const numbers = { attempts: Number(attempts), age: Number(age), remaining: Number(remaining) };
  return running && { kind: 'peeked', running, ...numbers };
}

function foundIn([record, ballot, fingerprint, remaining]: readonly unknown[]): Found | undefined {
  const mark = markOf(ballot, fingerprint);
  if (mark === undefined || typeof record !== 'string' || typeof remaining !== 'number') return undefined;
  return { ...mark, record, remaining };
}

function markOf(ballot: unknown, fingerprint: unknown): Mark | undefined {
  if (typeof ballot !== 'string' || typeof fingerprint !== 'string') return undefined;
  const [, token, value] = /^(\d{1,16}) (.*)$/s.exec(ballot) ?? [];
  return value === undefined ? undefined : { token: Number(token), value, fingerprint: fingerprint || null };
}
