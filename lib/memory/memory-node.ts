import type { Claim } from '../core/port/claim.js';
import type { Clock } from '../core/time/clock.js';
import { TOKENS_PER_GRANT } from '../core/port/fencing.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../core/port/lock-node.js';
import { noteKey, readNote, type NoteListener } from '../core/port/process-note.js';
import { answer, notify } from './memory-answers.js';
import { MemoryEntries } from './memory-entries.js';
import { MemoryFences } from './memory-fences.js';
import { MemoryLines, type LineTerms } from './memory-line.js';
import { MemoryRefusals } from './memory-refusals.js';
import { MemoryTrust, type MemoryTrustTerms } from './memory-trust.js';
import { NOTHING, type Snapshot } from './snapshot.js';
import { soon } from '../core/time/real-time.js';

/** A node in memory that answers as a Redis master would, for tests without Redis and for simulations. */
export class MemoryNode implements LockNode {
  readonly #listens: (waiting: Claim) => boolean;
  readonly #entries = new MemoryEntries(() => this.clock.now().wall);
  readonly #lines = new MemoryLines();
  readonly #fences: MemoryFences;
  readonly #refusals: MemoryRefusals;
  readonly #trust: MemoryTrust;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    { listens = () => true, ...terms }: MemoryTrustTerms & LineTerms = {},
  ) {
    const wall = (): number => this.clock.now().wall;
    this.#listens = listens;
    this.#trust = new MemoryTrust(wall, terms);
    this.#fences = new MemoryFences(wall, this.#trust.maxTtl);
    this.#refusals = new MemoryRefusals(this.#fences, this.#trust.maxTtl);
  }

  get runId(): string {
    return `${this.name}/${this.#trust.run}`;
  }

  /** Known exactly, because the node has no clock but that of this process. */
  get clockAhead(): NonNullable<LockNode['clockAhead']> {
    const { monotonic, wall } = this.clock.now();
    return { least: wall - monotonic, most: wall - monotonic };
  }

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    answer(question, nodeIndex, this.#acquire(question));
  }

  yield(question: Question<YieldAnswer>, nodeIndex: number): void {
    answer(question, nodeIndex, this.#yield(question.claim));
  }

  raise(question: Question<RaiseAnswer>, nodeIndex: number): void {
    const { claim, proposal, tokens } = question;
    const refusal = this.#refusals.ofToken(proposal - tokens + 1);
    if (refusal) return answer<RaiseAnswer>(question, nodeIndex, refusal);
    for (const resource of claim.resources) this.#fences.raise(resource, proposal);
    answer(question, nodeIndex, { kind: this.#entries.has(claim) ? 'raised' : 'gone' });
  }

  extend(question: Question<ExtendAnswer>, nodeIndex: number): void {
    const { claim, ttl, mayShorten = false } = question;
    const extend = (): ExtendAnswer => ({ kind: this.#entries.extend(claim, ttl, mayShorten) });
    answer(question, nodeIndex, this.#refusals.ofTtl(ttl) ?? extend());
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    const { claim, isFollowed } = question;
    const kind = this.#entries.release(claim) ? 'released' : 'gone';
    for (const resource of claim.resources) {
      this.#lines.get(resource)?.leave(claim);
      if (!isFollowed) this.#serve(resource);
    }
    answer(question, nodeIndex, { kind });
  }

  probe(answered: Parameters<LockNode['probe']>[0]): void {
    const remaining = this.#trust.quarantine();
    soon(() => answered(remaining > 0 ? { kind: 'quarantined', remaining } : { kind: 'up' }));
  }

  noteOf(mark: string, answered: NoteListener): void {
    soon(() => answered(readNote(this.get(noteKey('', mark)))));
  }

  async open(): Promise<void> {
    // There is nothing to connect to. If a new node has a quarantine, it begins now.
    this.#trust.quarantine();
  }

  async close(): Promise<void> {
    this.flush();
  }

  /** Sets a key as a foreign client would. */
  set(resource: string, value: string, ttl = Infinity): void {
    this.#entries.set(resource, value, ttl);
  }

  /** Returns the value under a resource, if the resource is held. */
  get(resource: string): string | undefined {
    return this.#entries.get(resource)?.value;
  }

  /** Returns the values of the waiters for a resource, the next one first. */
  waiting(resource: string): string[] {
    return this.#lines.get(resource)?.values ?? [];
  }

  /** Returns the fence counter of a resource, while there is one. */
  fence(resource: string): number | undefined {
    return this.#fences.get(resource);
  }

  /** Forgets everything, as by FLUSHALL. */
  flush(): void {
    this.#restore(NOTHING);
  }

  /** Restarts the node, empty or with what it had on its disk. */
  restart(disk = NOTHING): void {
    this.#trust.restart();
    this.#restore(disk);
  }

  snapshot(): Snapshot {
    return {
      entries: this.#entries.snapshot(),
      lines: this.#lines.snapshot(),
      fences: this.#fences.snapshot(),
      marker: this.#trust.marker,
    };
  }

  #restore({ entries, lines, fences, marker }: Snapshot): void {
    this.#entries.restore(entries);
    this.#lines.restore(lines);
    this.#fences.restore(fences);
    this.#trust.marker = marker;
  }

  #acquire(question: Question<AcquireAnswer>): AcquireAnswer {
    const { claim, ttl, tokens } = question;
    const quarantine = this.#trust.quarantine();
    if (quarantine > 0) return { kind: 'quarantined', remaining: quarantine };
    const first = this.#entries.longest(claim) ? 0 : this.#fences.first(question, this.#entries.has(claim));
    const refusal = this.#refusals.ofTerms(question) ?? this.#refusals.ofToken(first);
    if (refusal) return refusal;
    if (claim.place && !this.#entries.has(claim)) this.#lines.of(claim.resources[0]!).enter(claim);
    for (const resource of claim.resources) this.#serve(resource, claim);
    // Perhaps a part of the same lock, which waited, was served just now.
    const isOurs = this.#entries.has(claim);
    const obstacle = this.#entries.longest(claim);
    if (obstacle) return { kind: 'held', remaining: obstacle.expires - this.clock.now().wall, owner: obstacle.value };
    const fence = this.#fences.first(question, isOurs);
    for (const resource of claim.resources) this.#entries.take(resource, claim.value, ttl);
    this.#fences.take({ resources: claim.resources, tokens }, fence);
    return { kind: 'granted', fence, oldest: isOurs ? 0 : this.#lines.oldest(claim.resources) };
  }

  #yield(claim: Claim): YieldAnswer {
    const resource = claim.resources[0]!;
    const entry = this.#entries.get(resource);
    if (entry?.value !== claim.value) return { kind: 'gone' };
    if (!this.#lines.get(resource)?.hasOlder(claim)) return { kind: 'kept' };
    this.#lines.of(resource).enter(claim);
    this.#entries.delete(resource);
    if (!this.#serve(resource, claim)) return { kind: 'passed' };
    this.set(resource, claim.value, entry.expires - this.clock.now().wall);
    return { kind: 'kept' };
  }

  /** Gives a free resource to the first living waiter, if it may have a token; returns true if that is `asking`, which then takes it. */
  #serve(resource: string, asking?: Claim): boolean {
    if (this.#entries.get(resource) || this.#trust.quarantine() > 0) return false;
    const line = this.#lines.get(resource);
    const fence = this.#fences.successor(resource);
    for (let next = line?.shift(); next; next = line!.shift()) {
      if (asking?.place && next.value === asking.value) return true;
      if (!this.#listens(next)) continue;
      if (this.#refusals.ofToken(fence)) {
        line!.enter(next);
        return false;
      }
      this.#fences.take({ resources: [resource], tokens: TOKENS_PER_GRANT }, fence);
      this.set(resource, next.value, next.place!.ttl);
      notify(next.place!, this.name, { since: this.clock.now(), fence, oldest: this.#lines.oldest([resource]) });
      return false;
    }
    return false;
  }
}
