import type { Claim } from '../core/claim.js';
import type { Clock } from '../core/clock.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  ProbeAnswer,
  Question,
  ReleaseAnswer,
  YieldAnswer,
} from '../core/lock-node.js';
import { MemoryLine } from './memory-line.js';

interface Entry {
  readonly value: string;
  /** On the wall clock, as Redis keeps it. */
  expires: number;
}

/** A node in memory that answers as a Redis master would: for tests without Redis, and for simulations. */
export class MemoryNode implements LockNode {
  readonly #entries = new Map<string, Entry>();
  readonly #lines = new Map<string, MemoryLine>();

  constructor(
    readonly name: string,
    private readonly clock: Clock,
  ) {}

  acquire(question: Question<AcquireAnswer>, seat: number): void {
    answer(question, seat, this.#acquire(question));
  }

  yield(question: Question<YieldAnswer>, seat: number): void {
    answer(question, seat, this.#yield(question.claim));
  }

  extend(question: Question<ExtendAnswer>, seat: number): void {
    const { claim, ttl } = question;
    const entries = claim.resources.map((resource) => this.#living(resource));
    const taken = entries.some((entry) => entry && entry.value !== claim.value);
    const missing = entries.includes(undefined);
    if (!taken && !missing) for (const entry of entries) entry!.expires = this.clock.now().wall + ttl;
    answer(question, seat, { kind: taken ? 'taken' : missing ? 'missing' : 'extended' });
  }

  release(question: Question<ReleaseAnswer>, seat: number): void {
    const { claim } = question;
    const ours = claim.resources.filter((resource) => this.#living(resource)?.value === claim.value);
    for (const resource of ours) this.#entries.delete(resource);
    for (const resource of claim.resources) {
      this.#lines.get(resource)?.leave(claim);
      if (!claim.followed) this.#serve(resource);
    }
    answer(question, seat, { kind: ours.length > 0 ? 'released' : 'gone' });
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    queueMicrotask(() => answered({ kind: 'up' }));
  }

  async open(): Promise<void> {
    // A node in memory is always there.
  }

  async close(): Promise<void> {
    this.flush();
  }

  /** Plants a key as a foreign client would. */
  set(resource: string, value: string, ttl = Infinity): void {
    this.#entries.set(resource, { value, expires: this.clock.now().wall + ttl });
  }

  /** The value under a resource, if it is held. */
  get(resource: string): string | undefined {
    return this.#living(resource)?.value;
  }

  /** The values of those who wait for a resource, the next one first. */
  waiting(resource: string): string[] {
    return this.#lines.get(resource)?.values ?? [];
  }

  /** Forgets everything, as a node without persistence does on a restart. */
  flush(): void {
    this.#entries.clear();
    this.#lines.clear();
  }

  #acquire({ claim, ttl }: Question<AcquireAnswer>): AcquireAnswer {
    const isOurs = claim.resources.every((resource) => this.#living(resource)?.value === claim.value);
    if (claim.ticket && !isOurs) this.#lineOf(claim.resources[0]!).enter(claim);
    if (!isOurs) for (const resource of claim.resources) this.#serve(resource, claim);
    const obstacle = this.#longest(
      claim.resources.map((resource) => this.#living(resource)).filter((entry) => entry && entry.value !== claim.value),
    );
    if (obstacle) {
      return { kind: 'held', remaining: obstacle.expires - this.clock.now().wall, owner: obstacle.value };
    }
    for (const resource of claim.resources) this.set(resource, claim.value, ttl);
    return { kind: 'granted' };
  }

  #yield(claim: Claim): YieldAnswer {
    const resource = claim.resources[0]!;
    const entry = this.#living(resource);
    if (entry?.value !== claim.value) return { kind: 'gone' };
    if (!this.#lines.get(resource)?.hasOlder(claim)) return { kind: 'kept' };
    this.#lineOf(resource).enter(claim);
    this.#entries.delete(resource);
    this.#serve(resource);
    return { kind: 'passed' };
  }

  /** Gives what is free to the first in line, unless that is the one who asks: he takes it himself. */
  #serve(resource: string, asking?: Claim): void {
    if (this.#living(resource)) return;
    const next = this.#lines.get(resource)?.shift();
    if (!next || next.value === asking?.value) return;
    const { grace } = next.ticket!;
    this.set(resource, next.value, grace);
    const since = this.clock.now();
    queueMicrotask(() => next.ticket!.granted(this.name, since));
  }

  #lineOf(resource: string): MemoryLine {
    const line = this.#lines.get(resource) ?? new MemoryLine();
    this.#lines.set(resource, line);
    return line;
  }

  #living(resource: string): Entry | undefined {
    const entry = this.#entries.get(resource);
    if (entry && entry.expires <= this.clock.now().wall) this.#entries.delete(resource);
    return this.#entries.get(resource);
  }

  #longest(entries: readonly (Entry | undefined)[]): Entry | undefined {
    return entries.reduce(
      (longest, entry) => (entry && (!longest || entry.expires > longest.expires) ? entry : longest),
      undefined,
    );
  }
}

function answer<A>(question: Question<A>, seat: number, given: A): void {
  queueMicrotask(() => question.answer(seat, given));
}
