import { RESERVED } from '../engine/resources.js';
import { CLOCKS_APART, counterOf } from '../engine/fencing.js';
import type { AcquireOperation, Answer, Operation, ReleaseOperation, Unknown } from '../engine/lock-node.js';
import { isOfRecord, recordAnswerOf, usualOfRecord, wordsOfRecord } from './record-codec.js';
import { nodeText } from './connection/wire/node-text.js';
import { bulk } from './connection/wire/wire-command.js';
import { CLOCK_FACTOR, NODE_KEYS, SCRIPT, SHA } from './scripts/operations.lua.js';

const CALL = { evalsha: bulk('EVALSHA') + bulk(SHA), eval: bulk('EVAL') + bulk(SCRIPT) } as const;
/** How many parts a call has besides keys and words: the command, the script, the number of keys, and the run at the end. */
const FRAME = 4;

export interface BatchOptions {
  readonly keyPrefix: string;
  /** The private channel on which this process receives votes for its deposits. */
  readonly channel: string;
  readonly maxTtl: number;
  /** Whether nodes that may have forgotten locks are kept out of the vote. */
  readonly restartQuarantine: boolean;
}

/** Returns the private channel of one pool in one process; nobody else has the random text. */
export function channelOf(keyPrefix: string, id: string): string {
  return `${keyPrefix}~hand-off:${id}`;
}

/**
 * Asks whether a node votes, and leaves nothing behind: a node in quarantine says so, and a node that votes refuses, because the proposed token is
 * far from its clock.
 */
export const ASKS_WHETHER_IT_VOTES: readonly AcquireOperation[] = [
  { kind: 'acquire', resource: `~probe${RESERVED.node}`, value: 'probe', ttl: 1, proposal: 0, count: 1 },
];

/** In place of the run of a node that may be another one. */
const NO_RUN = bulk('-');

/** Encodes a list of operations as one call of the script, once for all nodes. */
export class BatchEncoder {
  readonly #nodeKeys: string;
  #operations: readonly Operation[] | undefined;
  #wire = '';
  /** By list of operations: what every node answers as a rule. */
  readonly #usual = new WeakMap<readonly Operation[], readonly Answer[]>();

  constructor(readonly options: BatchOptions) {
    this.#nodeKeys = [RESERVED.waiting, RESERVED.node, RESERVED.fences]
      .map((name) => bulk(options.keyPrefix + name))
      .join('');
  }

  /** Returns the call for one node; `run` is the run of the node, and `distrust` the ms since the clock of the node was changed. */
  wire(operations: readonly Operation[], run: string, distrust?: number): string {
    if (distrust !== undefined) return this.#encode(operations, 'evalsha', `d${Math.ceil(distrust)}`) + bulk(run);
    if (this.#operations !== operations) {
      this.#wire = this.#encode(operations, 'evalsha', this.#check(operations));
      this.#operations = operations;
    }
    return this.#wire + bulk(run);
  }

  /**
   * Returns the call with the text of the script. It names no run, and checks the node whatever it asks: a node that does not know the script may have
   * been restarted, and once it knows the script again, calls that name its old run would be trusted.
   */
  text(operations: readonly Operation[]): string {
    return this.#encode(operations, 'eval', this.options.restartQuarantine ? 'c' : 'n') + NO_RUN;
  }

  /** Reads what the script answered. What cannot be read is no answer: the node may have done anything. */
  decode(reply: unknown, operations: readonly Operation[]): Decoded {
    const isUsual = typeof reply === 'number' && Number.isSafeInteger(reply) && reply >= 0;
    if (isUsual && reply % CLOCK_FACTOR === operations.length)
      return { clock: Math.floor(reply / CLOCK_FACTOR), answers: this.#usualAnswers(operations), isUsual: true };
    if (!Array.isArray(reply) || reply.length !== operations.length + 1 || typeof reply[0] !== 'number')
      return { clock: undefined, answers: operations.map(() => NONSENSE) };
    return { clock: reply[0], answers: operations.map((operation, index) => answerOf(operation, reply[index + 1])) };
  }

  #usualAnswers(operations: readonly Operation[]): readonly Answer[] {
    let answers = this.#usual.get(operations);
    if (answers === undefined) this.#usual.set(operations, (answers = operations.map(usual)));
    return answers;
  }

  /** Returns a call that gives the node the script and asks whether it votes. It names no run, since the node may be another one. */
  get firstCall(): string {
    return this.#encode(ASKS_WHETHER_IT_VOTES, 'eval', this.options.restartQuarantine ? 'c' : 'n') + NO_RUN;
  }

  #check(operations: readonly Operation[]): string {
    const votes = operations.some(({ kind }) => kind !== 'extend' && kind !== 'raise');
    return this.options.restartQuarantine && votes ? 'c' : 'n';
  }

  #encode(operations: readonly Operation[], command: keyof typeof CALL, check: string): string {
    const { keyPrefix, channel, maxTtl } = this.options;
    const [keys, words] = [[] as string[], [channel, `${maxTtl}`, check].map(bulk)];
    let before: AcquireOperation | undefined;
    for (const operation of operations) {
      keys.push(bulk(keyPrefix + operation.resource + (isOfRecord(operation) ? RESERVED.reply : '')));
      for (const word of wordsOf(operation, before)) words.push(bulk(word));
      if (operation.kind === 'acquire') before = operation;
    }
    const count = FRAME + NODE_KEYS + keys.length + words.length;
    const head = `*${count}\r\n${CALL[command]}${bulk(`${NODE_KEYS + keys.length}`)}`;
    return [head, this.#nodeKeys, ...keys, ...words].join('');
  }
}

/** `before` is the vote before in this call: what both have in common is not sent again. */
function wordsOf(operation: Operation, before: AcquireOperation | undefined): readonly string[] {
  if (isOfRecord(operation)) return wordsOfRecord(operation);
  const { kind, value, resource } = operation;
  if (kind === 'acquire') return wordsOfVote(operation, before);
  if (kind === 'release') return wordsOfRelease(operation);
  if (kind === 'extend') return [operation.isKept ? 'K' : 'E', value, ms(operation.ttl)];
  return ['F', value, `${operation.token}`, counterOf(resource)];
}

function wordsOfVote(
  { value, resource, arrival, ttl, proposal, count, opens }: AcquireOperation,
  before: AcquireOperation | undefined,
): readonly string[] {
  const isAlike = ttl === before?.ttl && proposal === before.proposal && count === before.count;
  const words = [opens ? 'B' : isAlike ? 'a' : 'A', value, counterOf(resource), `${arrival ?? ''}`];
  if (isAlike && !opens) return words;
  words.push(ms(ttl), `${proposal}`, `${count}`);
  return opens ? [...words, opens.fingerprint ?? '', ms(opens.ttl)] : words;
}

const RELEASES = { stay: 'R', leave: 'L', followed: 'N' } as const;

function wordsOfRelease({ value, what, place, resource }: ReleaseOperation): readonly string[] {
  if (place === undefined) return [RELEASES[what], value];
  const { arrival, deposit } = place;
  const words = [deposit.value, ms(deposit.ttl), deposit.count, deposit.proposal, counterOf(resource)];
  return ['D', value, `${arrival}`, words.join(' ')];
}

/** Redis takes whole ms. */
function ms(duration: number): string {
  return `${Math.ceil(duration)}`;
}

/** The answers of a node, and its clock: ms. */
export interface Decoded {
  readonly clock: number | undefined;
  readonly answers: readonly Answer[];
  /** Whether all was done as asked. */
  readonly isUsual?: boolean;
}

const NONSENSE: Unknown = { kind: 'unknown', reason: 'its answer cannot be read', sent: true };
const USUAL = { release: { kind: 'released' }, extend: { kind: 'extended' }, raise: { kind: 'raised' } } as const;
const GONE = { kind: 'gone' } as const;
const NOT_HERE = { release: GONE, extend: { kind: 'missing' }, raise: GONE, clear: GONE, forget: GONE } as const;
const TAKEN = { kind: 'taken' } as const;

/** Returns the answer of a node that did what it was asked: its counter stands at the proposed token, so that is the token of the vote. */
function usual(operation: Operation): Answer {
  if (isOfRecord(operation)) return usualOfRecord(operation);
  if (operation.kind !== 'acquire') return USUAL[operation.kind];
  const { proposal: token, opens } = operation;
  return opens ? { kind: 'granted', token, isOpened: true } : { kind: 'granted', token };
}

function answerOf(operation: Operation, told: unknown): Answer {
  if (told === 1) return usual(operation);
  if (told === 0 && operation.kind in NOT_HERE) return NOT_HERE[operation.kind as keyof typeof NOT_HERE];
  if (told === 2 && operation.kind === 'extend') return TAKEN;
  if (!Array.isArray(told)) return NONSENSE;
  const [letter, ...parts] = (told as unknown[]).map(textIn);
  const [first, second] = parts;
  if (letter === '!' && typeof first === 'string') return { kind: 'refused', reason: nodeText(first) };
  if (isOfRecord(operation))
    return letter === 'q' && typeof first === 'number'
      ? quarantined(first)
      : (recordAnswerOf(operation, letter, parts) ?? NONSENSE);
  return operation.kind === 'acquire' ? (voteOf(letter, first, second, operation) ?? NONSENSE) : NONSENSE;
}

/** ioredis gives texts as they came: in bytes. */
function textIn(part: unknown): unknown {
  return Buffer.isBuffer(part) ? part.toString() : part;
}

function voteOf(
  letter: unknown,
  first: unknown,
  second: unknown,
  { ttl, opens }: AcquireOperation,
): Answer | undefined {
  if (letter === 'g') return granted(first, second);
  if (letter === 'k' && opens !== undefined) return { kind: 'recorded' };
  if (letter === 'h' && typeof first === 'number' && typeof second === 'string')
    return { kind: 'held', remaining: first < 0 ? Infinity : first, owner: second };
  if (letter === 'q' && typeof first === 'number') return quarantined(first);
  if (letter !== 'r') return undefined;
  const reason = first === 'ttl' ? `a ttl of ${ttl} ms is above its maxTtl` : CLOCKS_APART;
  return { kind: 'refused', reason };
}

function quarantined(left: number): Answer {
  return left < 0 ? { kind: 'refused', reason: NO_INFO } : { kind: 'quarantined', remaining: left };
}

/** Why a node whose user may not run INFO does not vote. */
export const NO_INFO =
  'its user may not run INFO, by which a restart is noticed: allow it, or set restartQuarantine to false';

function granted(first: unknown, second: unknown): Answer | undefined {
  const [token, oldest] = [Number(first), second === '' ? undefined : Number(second)];
  const isFine = Number.isSafeInteger(token) && token > 0 && !Number.isNaN(oldest ?? 0);
  return isFine ? { kind: 'granted', token, oldest } : undefined;
}
