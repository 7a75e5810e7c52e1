import { SingleCall } from '../../core/port/single-call.js';
import type { Claim } from '../../core/port/claim.js';
import { elapsed, LONGEST_TIMER, type Clock, type Moment } from '../../core/time/clock.js';
import type {
  AcquireAnswer,
  Bounds,
  ExtendAnswer,
  LockNode,
  NodeEvent,
  ProbeAnswer,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../../core/port/lock-node.js';
import type { NoteListener } from '../../core/port/process-note.js';
import { misfit } from '../../core/api/options.js';
import { MemoryNode } from '../../memory/memory-node.js';
import { FaultyLink } from './faulty-link.js';
import type { RestartOptions, TestingNode } from './testing-node.js';

/** A release that was requested while the node was down. */
interface Owed {
  readonly claim: Claim;
  readonly ttl: number;
  readonly since: Moment;
}

export interface FaultyNodeTerms {
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
  readonly restartQuarantine: boolean;
  /** Returns whether a waiter can still receive its grant. @default true for every waiter */
  readonly listens?: (claim: Claim) => boolean;
}

/** A node in memory behind a connection that a test can disturb. */
export class FaultyNode implements LockNode, TestingNode {
  readonly #memory: MemoryNode;
  readonly #link: FaultyLink;
  readonly #listeners = new Set<(event: NodeEvent) => void>();
  #owed: Owed[] = [];
  #run = 1;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly terms: FaultyNodeTerms,
  ) {
    this.#memory = new MemoryNode(name, clock, { ...terms, restartQuarantine: true });
    this.#link = new FaultyLink(clock);
    if (!terms.restartQuarantine) this.#begin({ keep: true, quarantine: false });
  }

  get runId(): string {
    return this.#memory.runId;
  }

  get clockAhead(): Bounds {
    return this.#memory.clockAhead;
  }

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    this.#ask(question, nodeIndex, () => this.#memory.acquire(question, nodeIndex));
  }

  yield(question: Question<YieldAnswer>, nodeIndex: number): void {
    this.#ask(question, nodeIndex, () => this.#memory.yield(question, nodeIndex));
  }

  raise(question: Question<RaiseAnswer>, nodeIndex: number): void {
    this.#ask(question, nodeIndex, () => this.#memory.raise(question, nodeIndex));
  }

  extend(question: Question<ExtendAnswer>, nodeIndex: number): void {
    this.#ask(question, nodeIndex, () => this.#memory.extend(question, nodeIndex));
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    const { claim, ttl } = question;
    if (this.#link.isDown) this.#owed.push({ claim, ttl, since: this.clock.now() });
    this.#ask(question, nodeIndex, () => this.#memory.release(question, nodeIndex));
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    this.#link.send({
      arrive: () => this.#memory.probe(answered),
      fail: (reason, sent) => answered({ kind: 'unknown', reason, sent }),
    });
  }

  noteOf(mark: string, answered: NoteListener): void {
    this.#link.send({ arrive: () => this.#memory.noteOf(mark, answered), fail: () => answered(undefined) });
  }

  async open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#listeners.add(listener);
    if (this.#link.isDown) listener({ type: 'node-down', reason: 'connection refused' });
    await this.#memory.open();
  }

  /** Closes the connection only: a test can still look at the data of the node. */
  async close(): Promise<void> {
    this.#listeners.clear();
    this.#link.break();
  }

  down(): void {
    if (this.#link.isDown) return;
    this.#link.goDown();
    this.#notify({ type: 'node-down', reason: 'connection closed' });
  }

  slow(ms: number): void {
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= LONGEST_TIMER)) {
      throw misfit('slow', ms, `a number of ms from 0 to ${LONGEST_TIMER}`);
    }
    this.#reach(() => this.#link.slowDown(ms));
  }

  freeze(): void {
    this.#reach(() => this.#link.freeze());
  }

  recover(): void {
    this.#reach(() => this.#link.recover());
  }

  restart({ keep = false, quarantine = this.terms.restartQuarantine }: RestartOptions = {}): void {
    this.down();
    this.#begin({ keep, quarantine });
    this.recover();
    if (!quarantine) return;
    this.#notify({ type: 'node-quarantined', reason: 'it was restarted', remaining: this.terms.maxTtl });
  }

  /** Returns the value of a resource, whatever is wrong with the connection. */
  valueOf(resource: string): string | undefined {
    return this.#memory.get(resource);
  }

  /** The resources that are locked on this node. */
  get resources(): string[] {
    return [...this.#memory.snapshot().entries.keys()].filter((resource) => this.valueOf(resource) !== undefined);
  }

  /** Gives a resource to somebody else, for `ttl` ms. */
  plant(resource: string, value: string, ttl: number): void {
    this.#memory.set(resource, value, ttl);
  }

  #ask<A>(question: Question<A>, nodeIndex: number, arrive: () => void): void {
    this.#link.send({ arrive, fail: (reason, sent) => question.answer(nodeIndex, { kind: 'unknown', reason, sent }) });
  }

  /** Applies a change after which the node is connected, if with another fault. A node that was down then gets the releases that it is owed. */
  #reach(change: () => void): void {
    const wasDown = this.#link.isDown;
    change();
    if (!wasDown) return;
    const owed = this.#owed.filter(({ since, ttl }) => elapsed(since, this.clock.now()) < ttl);
    this.#owed = [];
    for (const { claim, ttl } of owed) this.release(new SingleCall(claim, ttl), 0);
    this.#notify({ type: 'node-up' });
  }

  /** Starts a new run of the node. Without a quarantine the run gets a marker that is as old as can be, so that the node is trusted at once. */
  #begin({ keep, quarantine }: Required<RestartOptions>): void {
    this.#run += 1;
    const nothing = { entries: new Map(), lines: new Map(), fences: new Map() };
    const marker = quarantine ? undefined : { run: this.#run, since: 0, maxTtl: this.terms.maxTtl };
    this.#memory.restart({ ...(keep ? this.#memory.snapshot() : nothing), marker });
  }

  #notify(event: NodeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
