import { elapsed, type Clock } from '../engine/clock.js';
import { CLOCKS_APART, counterOf } from '../engine/fencing.js';
import { MAX_TTL } from '../engine/options.js';
import {
  nextValueOf,
  type AcquireOperation,
  type Answer,
  type Deposit,
  type ExtendOperation,
  type HandOff,
  type LockNode,
  type NodeListener,
  type Operation,
  type ProbeAnswer,
  type RaiseOperation,
  type ReleaseOperation,
  type Unknown,
} from '../engine/lock-node.js';
import { MemoryRecords } from './memory-records.js';

/** Ms for which a queue is kept although nobody in it asks again. */
const QUEUE_LASTS = 60_000;

/** Keys at which expired ones are removed for the first time. */
const FEW = 1_024;

interface Key {
  value: string;
  /** Ms on the clock of the node. */
  expires: number;
}

interface Place {
  readonly arrival: number;
  readonly deposit: Deposit;
}

/** What a memory node needs from the world around it. */
export interface MemoryWorld {
  /** Ms on the clock of the node, which never goes back. */
  now(): number;
  /** Microseconds on the wall clock of the node. */
  date(): number;
}

/** The data of a node: what the script does on Redis, in JavaScript. Several processes may share it. */
export class MemoryData {
  readonly #keys = new Map<string, Key>();
  #nextSweep = FEW;
  readonly #queues = new Map<string, { readonly places: Map<string, Place>; expires: number }>();
  readonly #counters = new Map<string, number>();
  /** The records beside the locks. */
  readonly records: MemoryRecords;
  /** By channel: the processes that listen. */
  readonly #channels = new Map<string, (message: HandOff) => void>();
  /** Ms on the clock of the node, before which it does not vote. */
  votesFrom = -Infinity;

  constructor(
    private readonly world: MemoryWorld,
    private readonly maxTtl: number,
  ) {
    this.records = new MemoryRecords(world);
  }

  /** Forgets everything, as a server does that is started again without its data. It does not vote for `quarantine` ms. */
  clear(quarantine: number): void {
    this.#keys.clear();
    this.#queues.clear();
    this.#counters.clear();
    this.records.clear();
    this.votesFrom = this.world.now() + quarantine;
  }

  /** Keeps everything, as a server does that is started again with its data. It does not vote for `quarantine` ms. */
  restart(quarantine: number): void {
    this.votesFrom = this.world.now() + quarantine;
  }

  subscribe(channel: string, notify: (message: HandOff) => void): void {
    this.#channels.set(channel, notify);
  }

  unsubscribe(channel: string): void {
    this.#channels.delete(channel);
  }

  /** Returns the value under a resource, and how many ms it lasts. */
  read(resource: string): { readonly value: string; readonly remaining: number } | undefined {
    const key = this.#key(resource);
    return key && { value: key.value, remaining: key.expires - this.world.now() };
  }

  /** The last fencing token that was given away for a resource, or for one that shares its counter. */
  lastToken(resource: string): number | undefined {
    return this.#counters.get(counterOf(resource));
  }

  /** Sets a key as another library would. */
  plant(resource: string, value: string, ttl = Infinity): void {
    this.#keys.set(resource, { value, expires: this.world.now() + ttl });
  }

  /** The resources that have a value. */
  get resources(): string[] {
    return [...this.#keys.keys()].filter((resource) => this.#key(resource) !== undefined);
  }

  delete(resource: string): void {
    this.#keys.delete(resource);
  }

  /** Microseconds on the wall clock of the node. */
  get date(): number {
    return this.world.date();
  }

  /** Executes operations for the process with this channel. */
  execute(channel: string, operations: readonly Operation[]): Answer[] {
    return operations.map((operation) => this.#execute(channel, operation));
  }

  get quarantine(): number {
    return Math.max(0, this.votesFrom - this.world.now());
  }

  #execute(channel: string, operation: Operation): Answer {
    if (operation.kind === 'acquire') return this.#acquire(channel, operation);
    if (operation.kind === 'release') return this.#release(channel, operation);
    if (operation.kind === 'extend') return this.#extend(operation);
    return operation.kind === 'raise' ? this.#raise(operation) : this.records.execute(operation, this.quarantine);
  }

  #extend({ resource, value, ttl, isKept }: ExtendOperation): Answer {
    const key = this.#key(resource);
    if (key?.value !== value) return { kind: key === undefined ? 'missing' : 'taken' };
    const expires = this.world.now() + ttl;
    key.expires = isKept ? expires : Math.max(key.expires, expires);
    if (isKept) key.value = `${value}.kept`;
    return { kind: 'extended' };
  }

  #raise({ resource, value, token }: RaiseOperation): Answer {
    const counter = counterOf(resource);
    this.#counters.set(counter, Math.max(this.#counters.get(counter) ?? 0, token));
    return { kind: this.#key(resource)?.value === value ? 'raised' : 'gone' };
  }

  #acquire(channel: string, operation: AcquireOperation): Answer {
    const { resource, value, ttl, proposal, count, arrival, opens } = operation;
    if (opens && this.records.isKept(resource)) return { kind: 'recorded' };
    if (this.quarantine > 0) return { kind: 'quarantined', remaining: this.quarantine };
    if (ttl > this.maxTtl) return { kind: 'refused', reason: `a ttl of ${ttl} ms is above maxTtl, ${this.maxTtl} ms` };
    if (this.#isOff(proposal, resource)) return { kind: 'refused', reason: CLOCKS_APART };
    const now = this.world.now();
    let key = this.#key(resource);
    const isUsual = key === undefined && this.#queue(resource) === undefined;
    if (key?.value !== value) {
      if (arrival !== undefined)
        this.#stand(resource, channel, { arrival, deposit: { value: nextValueOf(value), ttl, proposal, count } });
      if (key === undefined && this.#serve(resource, arrival === undefined ? undefined : channel))
        key = this.#key(resource);
      if (key !== undefined) return { kind: 'held', remaining: key.expires - now, owner: key.value };
    }
    if (arrival !== undefined) this.#leave(resource, channel);
    this.#sweep();
    this.#keys.set(resource, { value, expires: Math.max(now + ttl, key?.expires ?? 0) });
    const token = this.#count(resource, proposal, count);
    const oldest = this.#oldest(resource)?.[1].arrival;
    if (!opens) return { kind: 'granted', token, oldest };
    const isOpened = isUsual && token === proposal && this.records.openNew({ resource, value, token, ...opens });
    return { kind: 'granted', token, oldest, isOpened };
  }

  #release(channel: string, { resource, value, what, place }: ReleaseOperation): Answer {
    const votes = this.quarantine === 0;
    if (what === 'leave') this.#leave(resource, channel);
    else if (place !== undefined && votes) this.#stand(resource, channel, place);
    const isOurs = value !== '' && this.#key(resource)?.value === value;
    if (isOurs) this.#keys.delete(resource);
    if (what !== 'followed' && votes && this.#key(resource) === undefined) this.#serve(resource, undefined);
    return { kind: isOurs ? 'released' : 'gone' };
  }

  /** Gives the resource to the first living place; false if that is the one that asks, or there is none. */
  #serve(resource: string, asking: string | undefined): boolean {
    for (;;) {
      const [head, place] = this.#oldest(resource) ?? [];
      if (head === undefined || place === undefined) return false;
      this.#leave(resource, head);
      if (head === asking) return false;
      const { value, ttl, proposal, count } = place.deposit;
      const notify = this.#channels.get(head);
      if (notify === undefined || this.#isOff(proposal, resource)) continue;
      this.#keys.set(resource, { value, expires: this.world.now() + ttl });
      const token = this.#count(resource, proposal, count);
      notify({ resource, value, token, oldest: this.#oldest(resource)?.[1].arrival });
      return true;
    }
  }

  /** Removes what has expired whenever the number of keys has doubled, so that each key pays for it once. */
  #sweep(): void {
    if (this.#keys.size < this.#nextSweep) return;
    for (const resource of this.#keys.keys()) this.#key(resource);
    this.#nextSweep = Math.max(FEW, 2 * this.#keys.size);
  }

  #key(resource: string): Key | undefined {
    const key = this.#keys.get(resource);
    if (key === undefined || key.expires > this.world.now()) return key;
    this.#keys.delete(resource);
    return undefined;
  }

  /** A place is never without a deposit. */
  #stand(resource: string, channel: string, place: Place): void {
    const expires = this.world.now() + QUEUE_LASTS;
    const queue = this.#queue(resource) ?? { places: new Map<string, Place>(), expires };
    queue.places.set(channel, place);
    queue.expires = expires;
    this.#queues.set(resource, queue);
  }

  #leave(resource: string, channel: string): void {
    const queue = this.#queue(resource);
    if (queue?.places.delete(channel) && queue.places.size === 0) this.#queues.delete(resource);
  }

  #queue(resource: string): { readonly places: Map<string, Place>; expires: number } | undefined {
    const queue = this.#queues.get(resource);
    if (queue === undefined || queue.expires > this.world.now()) return queue;
    this.#queues.delete(resource);
    return undefined;
  }

  #oldest(resource: string): readonly [string, Place] | undefined {
    let oldest: readonly [string, Place] | undefined;
    for (const one of this.#queue(resource)?.places ?? []) {
      const isOlder = oldest === undefined || one[1].arrival < oldest[1].arrival;
      if (isOlder || (one[1].arrival === oldest![1].arrival && one[0] < oldest![0])) oldest = one;
    }
    return oldest;
  }

  #count(resource: string, proposal: number, count: number): number {
    const counter = counterOf(resource);
    const token = Math.max(proposal, (this.#counters.get(counter) ?? 0) + 1);
    this.#counters.set(counter, token + count - 1);
    return token;
  }

  /** A token too far from the clock of the node is refused: tokens begin at the clock again after a majority has lost its counters. */
  #isOff(proposal: number, resource: string): boolean {
    const next = Math.max(proposal, (this.#counters.get(counterOf(resource)) ?? 0) + 1);
    return Math.abs(next - this.world.date()) > this.maxTtl * 500;
  }
}

/** A node in the memory of this process. */
export class MemoryNode implements LockNode {
  readonly data: MemoryData;
  #listener: NodeListener | undefined;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly options: { readonly maxTtl: number; readonly channel?: string; readonly data?: MemoryData } = {
      maxTtl: MAX_TTL,
    },
  ) {
    const start = clock.now();
    this.data =
      options.data ??
      new MemoryData({ now: () => elapsed(start, clock.now()), date: () => clock.now().wall * 1_000 }, options.maxTtl);
  }

  get #channel(): string {
    return this.options.channel ?? this.name;
  }

  send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    const answers = this.data.execute(this.#channel, operations);
    const asked = this.clock.now().monotonic;
    const { date } = this.data;
    void Promise.resolve().then(() => {
      this.#listener?.dated(date, asked, this.clock.now().monotonic);
      answered(answers);
    });
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    const { quarantine, date } = this.data;
    const asked = this.clock.now().monotonic;
    void Promise.resolve().then(() => {
      this.#listener?.dated(date, asked, this.clock.now().monotonic);
      answered(quarantine > 0 ? { kind: 'quarantined', remaining: quarantine } : { kind: 'up' });
    });
  }

  open(listener: NodeListener): Promise<void> {
    this.#listener = listener;
    this.data.subscribe(
      this.#channel,
      (message) => void Promise.resolve().then(() => this.#listener?.handedOff(message)),
    );
    listener.identified();
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#listener = undefined;
    this.data.unsubscribe(this.#channel);
    return Promise.resolve();
  }
}
