import { ignore } from './native-timers.js';
import { denialOf, errorOf, type Answers } from './denied.js';
import type {
  Answer,
  Found,
  Mark,
  Opened,
  Peeked,
  RaiseOperation,
  RecordOperation,
  SettleOperation,
} from './lock-node.js';
import { NodeMemory } from './node-memory.js';
import { PendingRecords } from './pending-records.js';
import type { Pool } from './pool.js';
import { mistake } from './codes.js';

/**
 * Bytes of a record at most. A node answers for up to 128 keys at once, and an answer has 8 MB at most.
 */
export const MOST_RECORD_BYTES = 60_000;

/** How often the promises of a leader are renewed within `maxTtl`. */
const RENEWALS = 4;

/** One attempt, as the nodes tell it from others. */
export interface Ballot {
  readonly token: number;
  /** The value of its lock. */
  readonly owner: string;
  readonly fingerprint: string | null;
}

interface KeptRecord {
  readonly kind: 'kept';
  readonly kept: Pick<Found, 'fingerprint' | 'record'>;
}

/** What an attempt finds. */
export type OpenedRecord =
  | KeptRecord
  | { readonly kind: 'new' | 'superseded' }
  | { readonly kind: 'interrupted'; readonly attempts: number; readonly fingerprint: string | null };

/** An attempt that has settled nothing yet, and still has its lock. */
export interface RunningAttempt extends Mark {
  /** Ms since it has opened the record. */
  readonly age: number;
}

/** What a reader without a lock finds. */
export type PeekedRecord =
  KeptRecord | { readonly kind: 'none' } | { readonly kind: 'running'; readonly fingerprint: string | null };

/** What operators see. */
export interface DescribedRecord {
  readonly state: 'kept' | 'running';
  readonly attempts: number;
  readonly age: number;
  readonly expiresIn: number;
  /** Bytes. */
  readonly size: number;
}

/** What the answers so far come to; undefined if it takes more of them. @throws QuorumNotReachedError if a quorum cannot be had any more */
type Decision<T> = (answers: Answers, pending: number) => T | undefined;

/**
 * One record for each key over all nodes: single-decree Paxos, with the fencing token of a lock as ballot. Reading is also promising, a record that
 * is found is settled before a caller gets it, and what a quorum has is never replaced by another one, whatever becomes of locks and clocks.
 */
export class ReplyRegister {
  /** Called if fewer than all nodes have a record that is settled, with their number. */
  thin: (key: string, copies: number) => void = () => undefined;
  readonly #pending: PendingRecords;
  readonly #memory: NodeMemory;

  /** Called once for each node that is to keep records for more than an hour, and has them in memory only. */
  set forgetful(notify: (node: string) => void) {
    this.#memory.forgetful = notify;
  }

  constructor(private readonly pool: Pool) {
    this.#pending = new PendingRecords(pool);
    this.#memory = new NodeMemory(pool);
  }

  /** Whether a node is so full that records endanger the locks. */
  get isFull(): boolean {
    return this.#memory.isFull;
  }

  /** Asks for promises, and reads. @throws QuorumNotReachedError */
  async open(key: string, ballot: Ballot, keep: number): Promise<OpenedRecord> {
    this.#memory.ask(keep);
    const answers = await this.#promise(key, ballot, keep);
    if (answers === 'superseded') return { kind: 'superseded' };
    const find = latestOf(answers);
    if (find === undefined) return interruptedBy(answers.filter(isPromise));
    // Others may have been told something else as long as no quorum has it.
    const isTold = copiesOf(find, answers) >= this.pool.quorum || (await this.#hasSettled(key, ballot, find));
    return isTold ? keptAs(find) : { kind: 'superseded' };
  }

  #promise(key: string, ballot: Ballot, keep: number): Promise<Answers | 'superseded'> {
    const { token, owner: value, fingerprint } = ballot;
    const ttl = Math.max(keep, 2 * this.pool.maxTtl);
    const operation = { kind: 'open', resource: key, value, token, fingerprint, ttl } as const;
    return this.#ask(operation, this.#counts(key, isPromise), (all) => this.#writeBack(key, ballot, all));
  }

  /** If that fails, some nodes may have the find under this ballot: the attempt must not settle anything else. */
  async #hasSettled(key: string, ballot: Ballot, find: Found): Promise<boolean> {
    const settled = await this.#settleFind(key, ballot, find).catch(() => 'superseded');
    return settled === 'settled';
  }

  /**
   * Keeps a record for `keep` ms. One attempt must never settle two different records.
   * @throws QuorumNotReachedError: some nodes may have it, so that a later attempt finds it; RangeError for a record that is too long
   */
  settle(key: string, ballot: Ballot, record: string, keep: number): Promise<'settled' | 'superseded'> {
    const size = Buffer.byteLength(record);
    if (size > MOST_RECORD_BYTES)
      return Promise.reject(
        mistake('REDLOCK_E13', `A record has at most ${MOST_RECORD_BYTES} bytes; this one has ${size}`, {
          Kind: RangeError,
        }),
      );
    this.#memory.ask(keep);
    const { token, owner: value, fingerprint } = ballot;
    return this.#settle({ kind: 'settle', resource: key, value, token, fingerprint, record, ttl: keep });
  }

  /** Reads without promises: tells only what a quorum of nodes has alike. */
  async peek(key: string): Promise<PeekedRecord> {
    this.#memory.ask(0);
    const peeked = await this.#peek(key);
    if (peeked === undefined) return { kind: 'none' };
    const { found, running } = peeked;
    return found ? keptAs(found) : { kind: 'running', fingerprint: running!.fingerprint };
  }

  async #peek(key: string): Promise<Peeked | undefined> {
    const { quorum } = this.pool;
    const { answer } = await this.#ask({ kind: 'peek', resource: key }, (answers, pending) => {
      const most = mostAlike(answers.filter(isPeeked));
      if (most.count + pending < quorum) return { answer: undefined };
      return most.count < quorum ? undefined : { answer: most.answer };
    });
    return answer;
  }

  /** Returns the attempt that has opened the record if a quorum says that it still has its lock. */
  async running(key: string): Promise<RunningAttempt | undefined> {
    const { running, age = 0 } = (await this.#peek(key)) ?? {};
    if (running === undefined) return undefined;
    const { token, value } = running;
    const { quorum } = this.pool;
    // A raise to the token that is there already only tells whether the node has the value.
    const holds = await this.#ask({ kind: 'raise', resource: key, value, token }, (answers, pending) => {
      const count = answers.filter((answer) => answer?.kind === 'raised').length;
      return count >= quorum ? true : count + pending < quorum ? false : undefined;
    });
    return holds ? { ...running, age } : undefined;
  }

  /** Opens a record, and keeps the promises, until the function that it returns is called: every process can then read who has the lock. */
  announce(key: string, ballot: Ballot): () => void {
    const { clock, maxTtl } = this.pool;
    let stop: () => void;
    const open = (): void => {
      stop = clock.schedule(maxTtl / RENEWALS, open);
      this.#promise(key, ballot, maxTtl).catch(ignore);
    };
    open();
    return () => {
      stop();
      this.clear(key, ballot, false).catch(ignore);
    };
  }

  /** Tells operators what stands; undefined if no node that answers has anything. */
  async describe(key: string): Promise<DescribedRecord | undefined> {
    const answers = await this.#ask({ kind: 'peek', resource: key }, (all, pending) =>
      pending === 0 ? all.filter(isPeeked) : undefined,
    );
    const kept = answers.filter(({ found }) => found !== undefined);
    const [first, ...others] = kept.length > 0 ? kept : answers;
    if (first === undefined) return undefined;
    const latest = others.reduce((one, other) => (isBefore(markOf(one), markOf(other)) ? other : one), first);
    const { found, age, remaining } = latest;
    const attempts = Math.max(...answers.map((answer) => answer.attempts));
    const size = found ? Buffer.byteLength(found.record) : 0;
    return { state: found ? 'kept' : 'running', attempts, age, expiresIn: remaining, size };
  }

  /**
   * Takes the promises of an attempt back that settles nothing: for later ones it never came. The attempt must not ask for anything after that.
   * @param isWithdrawn whether the promises before it stand again; otherwise nothing stands @default true
   * @throws QuorumNotReachedError: the other nodes get it later
   */
  async clear(key: string, { token, owner: value }: Ballot, isWithdrawn = true): Promise<void> {
    const since = this.pool.clock.now().monotonic;
    const operation = { kind: 'clear', resource: key, value, token, isWithdrawn } as const;
    await this.#ask(operation, this.#counts(key, isDone), (all) => this.#pending.add(operation, unsure(all), since));
  }

  /** Removes everything. @throws QuorumNotReachedError */
  async forget(key: string): Promise<boolean> {
    this.#pending.forget(key);
    const answers = await this.#ask({ kind: 'forget', resource: key }, this.#counts(key, isDone));
    return answers !== 'superseded' && answers.some((answer) => answer?.kind === 'forgotten');
  }

  close(): void {
    this.#pending.close();
  }

  async #settle(operation: SettleOperation): Promise<'settled' | 'superseded'> {
    const since = this.pool.clock.now().monotonic;
    const answers = await this.#ask(operation, this.#counts(operation.resource, isSettled), (all) => {
      const missing = unsure(all);
      if (all.filter(isSettled).length < this.pool.quorum) return;
      this.#pending.add(operation, missing, since);
      if (missing.length > 0) this.thin(operation.resource, all.length - missing.length);
    });
    return answers === 'superseded' ? answers : 'settled';
  }

  #settleFind(key: string, { token, owner }: Ballot, find: Found): Promise<'settled' | 'superseded'> {
    const { fingerprint, record, remaining } = find;
    const ttl = Math.max(1, remaining);
    return this.#settle({ kind: 'settle', resource: key, value: owner, token, fingerprint, record, ttl });
  }

  /** Gives nodes what they have forgotten, or never had, if a quorum has it. */
  #writeBack(key: string, ballot: Ballot, answers: Answers): void {
    const find = latestOf(answers);
    if (find === undefined || copiesOf(find, answers) < this.pool.quorum) return;
    const isMissing = answers.some((answer) => isPromise(answer) && answer.found === undefined);
    if (isMissing) void this.#settleFind(key, ballot, find).catch(() => undefined);
  }

  /** Decides by the answers that count; 'superseded' if there would be a quorum without the nodes that have promised more. */
  #counts(key: string, isCounted: (answer: Answer) => boolean): Decision<Answers | 'superseded'> {
    const { names, quorum } = this.pool;
    return (answers, pending) => {
      const known = answers.filter((answer) => answer !== undefined);
      const count = known.filter(isCounted).length;
      if (count >= quorum) return [...answers];
      if (count + pending >= quorum) return undefined;
      const superseded = known.filter(({ kind }) => kind === 'superseded').length;
      if (count + superseded >= quorum) return 'superseded';
      if (count + pending + superseded >= quorum) return undefined;
      const votes = answers.map((answer) => answer && (isCounted(answer) ? VOTE : answer));
      throw errorOf(denialOf(names, votes), [key]);
    };
  }

  /** Asks all nodes; calls `all` with their answers once none is missing. */
  #ask<T>(
    operation: RecordOperation | RaiseOperation,
    decide: Decision<T>,
    all?: (answers: Answers) => void,
  ): Promise<T> {
    const { pool } = this;
    const answers: (Answer | undefined)[] = pool.names.map(() => undefined);
    let pending = answers.length;
    return new Promise((resolve, reject) =>
      pool.ask({
        timeout: pool.timeoutFor(pool.maxTtl),
        operation: () => operation,
        heard: (node, answer) => {
          answers[node] = answer;
          pending -= 1;
          try {
            const decision = decide(answers, pending);
            if (decision !== undefined) resolve(decision);
          } catch (error) {
            reject(error);
          }
          if (pending === 0) all?.(answers);
        },
      }),
    );
  }
}

/** How a promise, or whatever was asked for, stands in an error. */
const VOTE = { kind: 'granted', token: 0 } as const;

function isPromise(answer: Answer | undefined): answer is Opened {
  return answer?.kind === 'opened' && answer.isQuarantined !== true;
}

function isSettled(answer: Answer | undefined): boolean {
  return answer?.kind === 'settled';
}

function isDone({ kind }: Answer): boolean {
  return kind === 'cleared' || kind === 'forgotten' || kind === 'gone';
}

function isPeeked(answer: Answer | undefined): answer is Peeked {
  return answer?.kind === 'peeked';
}

/** Returns the nodes that may not have done what they were asked. */
function unsure(answers: Answers): number[] {
  return [...answers.keys()].filter((node) => ['unknown', 'refused'].includes(answers[node]!.kind));
}

/** Returns the record with the greatest ballot on any node, also on one that does not vote; of its copies the one that lasts longest. */
function latestOf(answers: Answers): Found | undefined {
  let latest: Found | undefined;
  for (const answer of answers) {
    const found = answer?.kind === 'opened' ? answer.found : undefined;
    if (found === undefined) continue;
    const isLater = latest === undefined || isBefore(latest, found);
    if (isLater || (isSame(latest!, found) && found.remaining > latest!.remaining)) latest = found;
  }
  return latest;
}

/** Returns how many of the nodes that vote have a record under its very ballot. */
function copiesOf(find: Found, answers: Answers): number {
  return answers.filter((answer) => isPromise(answer) && answer.found !== undefined && isSame(answer.found, find))
    .length;
}

/** Returns what is known of the attempts before, if they have left nothing but their promises. */
function interruptedBy(answers: readonly Opened[]): OpenedRecord {
  const attempts = Math.max(...answers.map((answer) => answer.attempts)) - 1;
  if (attempts < 1) return { kind: 'new' };
  const marks = answers.flatMap(({ before }) => before ?? []);
  const latest = marks.reduce<Mark | undefined>((one, other) => (one && isBefore(other, one) ? one : other), undefined);
  return { kind: 'interrupted', attempts, fingerprint: latest?.fingerprint ?? null };
}

/** Returns what most of the nodes have alike, and how many they are. */
function mostAlike(answers: readonly Peeked[]): { readonly answer?: Peeked; readonly count: number } {
  const alike = answers.map((answer) => ({
    answer,
    count: answers.filter(
      (other) => (other.found === undefined) === (answer.found === undefined) && isSame(markOf(other), markOf(answer)),
    ).length,
  }));
  return alike.sort((one, other) => other.count - one.count)[0] ?? { count: 0 };
}

function markOf({ found, running }: Peeked): Mark {
  return (found ?? running)!;
}

type Numbered = Pick<Mark, 'token' | 'value'>;

function isSame(one: Numbered, other: Numbered): boolean {
  return one.token === other.token && one.value === other.value;
}

function isBefore(one: Numbered, other: Numbered): boolean {
  const order = one.token - other.token || Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
  return order < 0;
}

function keptAs({ fingerprint, record }: Found): KeptRecord {
  return { kind: 'kept', kept: { fingerprint, record } };
}
