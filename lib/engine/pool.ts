import { publishRequest, requests } from './channels.js';
import { type Clock, elapsed, type Moment } from './clock.js';
import type { Answer, HandOff, LockNode, NodeEvent, Operation, ReleaseOperation, Unknown } from './lock-node.js';
import type { Random } from './random.js';

/** Returns how many votes decide among `nodes` independent masters: `floor(nodes / 2) + 1` (the Redis distributed-locks page). */
export function quorumOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** One operation that all nodes are asked for. */
export interface Question {
  /** Ms after which a node counts as silent. */
  readonly timeout: number;
  /** Returns the operation. Called when the batch is encoded, so that late callers of this turn still count; `date` is the time on the clock of the nodes. */
  operation(date: number): Operation;
  /** Called exactly once for each node. */
  heard(node: number, answer: Answer): void;
}

export interface PoolListener {
  event(event: NodeEvent & { readonly node: string }): void;
  handedOff(node: number, message: HandOff): void;
  /** Called when a node has come to another server, or lost it. */
  identified(node: number): void;
}

/** Ms a node may take to answer: a part of the shortest lease, so that a silent node costs a lock little of its lease. */
const SHORTEST_TIMEOUT = 5;
const LONGEST_TIMEOUT = 50;
/** How many operations a node gets in one call, so that its other clients do not wait for long. */
const MOST_AT_ONCE = 128;

/** The nodes, and the batch of operations of this turn of the event loop, which goes to all of them. */
export class Pool {
  readonly quorum: number;
  /** The names of the nodes, for errors. */
  readonly names: readonly string[];
  /** Ms that a lease lasts at most without an extension. */
  readonly maxTtl: number;
  readonly #nodeTimeout: number | undefined;
  readonly #dates: NodeDates;
  #questions: Question[] = [];

  constructor(
    readonly nodes: readonly LockNode[],
    readonly clock: Clock,
    readonly random: Random,
    { maxTtl, nodeTimeout }: { readonly maxTtl: number; readonly nodeTimeout?: number | undefined },
  ) {
    this.maxTtl = maxTtl;
    this.#nodeTimeout = nodeTimeout;
    this.names = nodes.map(({ name }) => name);
    this.quorum = quorumOf(nodes.length);
    this.#dates = new NodeDates(nodes.length);
  }

  /** Returns the ms that the nodes may take to answer if a lease of `ttl` ms is at stake. */
  timeoutFor(ttl: number): number {
    return this.#nodeTimeout ?? Math.min(LONGEST_TIMEOUT, Math.max(SHORTEST_TIMEOUT, ttl / 20));
  }

  /** Returns the time on the clock of the nodes, microseconds: the same for all processes, to within what their answers tell. */
  date(): number {
    return this.dateOf(this.clock.now());
  }

  dateOf(moment: Moment): number {
    return this.#dates.at(moment);
  }

  /** Whole ms by which the clock of a node is ahead of our wall clock; undefined before its first answer. */
  clockOffset(node: number): number | undefined {
    return this.#dates.offsetOf(node, this.clock.now());
  }

  releaseOf(resource: string, value: string, what: ReleaseOperation['what']): ReleaseOperation {
    return { kind: 'release', resource, value, what, ttl: this.maxTtl };
  }

  async open(listener: PoolListener): Promise<void> {
    const opening = this.nodes.map((node, index) =>
      node.open({
        event: (event) => listener.event({ ...event, node: node.name }),
        identified: () => {
          this.#dates.forget(index);
          listener.identified(index);
        },
        handedOff: (message) => listener.handedOff(index, message),
        dated: (micros, asked, heard) => this.#dates.note(index, micros, asked, heard),
      }),
    );
    await Promise.all(opening);
  }

  async close(): Promise<void> {
    // Releases of this very turn still have to be sent.
    if (this.#questions.length > 0) this.#flush();
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** Adds a question to the batch of this turn of the event loop. */
  ask(question: Question): void {
    if (this.#questions.push(question) === 1) this.clock.nextTurn(() => this.#flush());
  }

  #flush(): void {
    const questions = this.#questions;
    this.#questions = [];
    for (let at = 0; at < questions.length; at += MOST_AT_ONCE) this.#send(questions.slice(at, at + MOST_AT_ONCE));
  }

  #send(questions: readonly Question[]): void {
    const batch = new Batch(questions, this.names, this.clock);
    // One for all, so that several resources have one token.
    const date = this.date();
    const operations = questions.map((question) => question.operation(date));
    this.nodes.forEach((node, index) => node.send(operations, (answers) => batch.answered(index, answers)));
  }
}

/** What was asked in one turn: each question gets one answer of each node, or its silence. */
class Batch {
  readonly #answered: boolean[];
  readonly #asked: Moment;
  #left: number;
  /** By timeout. */
  readonly #timers = new Map<number, () => void>();
  /** The timeouts that have passed: the questions with them wait no longer. */
  readonly #over: number[] = [];

  constructor(
    private readonly questions: readonly Question[],
    private readonly names: readonly string[],
    private readonly clock: Clock,
  ) {
    this.#answered = names.map(() => false);
    this.#asked = clock.now();
    this.#left = names.length;
    for (const { timeout } of questions) {
      if (this.#timers.has(timeout)) continue;
      this.#timers.set(
        timeout,
        clock.schedule(timeout, () => clock.afterInput(() => this.#timedOut(timeout))),
      );
    }
  }

  answered(node: number, answers: readonly Answer[] | Unknown): void {
    if (this.#answered[node]) return;
    this.#answered[node] = true;
    this.#left -= 1;
    if (this.#left === 0) for (const stop of this.#timers.values()) stop();
    const list = Array.isArray(answers) ? (answers as readonly Answer[]) : undefined;
    if (requests.hasSubscribers) this.#publish(node, list ? list[0]!.kind : 'unknown');
    this.questions.forEach((question, index) => {
      if (this.#over.includes(question.timeout)) return;
      question.heard(node, list ? list[index]! : (answers as Unknown));
    });
  }

  /** `kind` is that of the first answer; undefined if the node is silent. */
  #publish(node: number, kind: Answer['kind'] | undefined): void {
    const error = kind === undefined ? 'timeout' : kind === 'refused' || kind === 'unknown' ? kind : undefined;
    publishRequest(this.names[node]!, elapsed(this.#asked, this.clock.now()), error);
  }

  #timedOut(timeout: number): void {
    if (this.#left === 0) return;
    this.#over.push(timeout);
    const silence: Unknown = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
    for (const [node, isAnswered] of this.#answered.entries()) {
      if (isAnswered) continue;
      if (requests.hasSubscribers) this.#publish(node, undefined);
      for (const question of this.questions) if (question.timeout === timeout) question.heard(node, silence);
    }
  }
}

/** What an answer says about the clock of a node. */
interface Reading {
  /** Microseconds by which the clock of the node is ahead of our monotonic clock. */
  readonly ahead: number;
  /** Ms by which that may be wrong. */
  readonly error: number;
  /** Ms on our monotonic clock. */
  readonly at: number;
}

/** Ms after which a less exact reading replaces a reading, because clocks run at different rates. */
const FRESH = 10_000;

/** Ms by which the wall clocks may seem to differ although none is wrong: they are coarse. */
const READING_ERROR = 3;

/** The time on the clock of the nodes, by which processes date their arrival: the median over the nodes. */
export class NodeDates {
  readonly #readings: (Reading | undefined)[];
  /** The median, as a distance from our monotonic clock; undefined until it is computed. */
  #ahead: number | undefined;

  constructor(nodes: number) {
    this.#readings = Array.from({ length: nodes });
  }

  /** Takes the clock of a node (microseconds) that an answer brought, between two readings of our monotonic clock. */
  note(node: number, micros: number, asked: number, heard: number): void {
    const latest = this.#readings[node];
    const error = (heard - asked) / 2;
    const ahead = micros - (asked + error) * 1_000;
    if (latest !== undefined && error > latest.error && heard - latest.at < FRESH) {
      // A clock that was changed makes the former reading wrong.
      const isContradicted = Math.abs(ahead - latest.ahead) > (error + latest.error + READING_ERROR) * 1_000;
      if (!isContradicted) return;
    }
    this.#readings[node] = { ahead, error, at: heard };
    this.#ahead = undefined;
  }

  /** Forgets the clock of a node that leads to another server. */
  forget(node: number): void {
    this.#readings[node] = undefined;
    this.#ahead = undefined;
  }

  /** Returns by how many whole ms the clock of a node is ahead of our wall clock: 0 if the answers show no difference, undefined before the first one. */
  offsetOf(node: number, now: Moment): number | undefined {
    const reading = this.#readings[node];
    if (reading === undefined) return undefined;
    const offset = reading.ahead / 1_000 - (now.wall - now.monotonic);
    return Math.abs(offset) <= reading.error + READING_ERROR ? 0 : Math.round(offset);
  }

  /** Microseconds. Without any reading it is the wall clock of this process. */
  at(now: Moment): number {
    this.#ahead ??= this.#median();
    return Math.floor(this.#ahead === undefined ? now.wall * 1_000 : this.#ahead + now.monotonic * 1_000);
  }

  #median(): number | undefined {
    const known = this.#readings.filter((reading) => reading !== undefined).map(({ ahead }) => ahead);
    return known.sort((a, b) => a - b)[known.length >> 1];
  }
}
