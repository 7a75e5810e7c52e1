import { type Clock, elapsed, LONGEST_TIMER, type Moment } from '../../engine/clock.js';
import type {
  Answer,
  LockNode,
  NodeEvent,
  NodeListener,
  Operation,
  Peeked,
  ProbeAnswer,
  ReleaseOperation,
  Unknown,
} from '../../engine/lock-node.js';
import { invalidValue } from '../../engine/options.js';
import { ignore, soon } from '../../engine/native-timers.js';
import { LEADER } from '../../engine/resources.js';
import { MemoryData } from '../../memory/memory-node.js';
import { FaultyLink } from './faulty-link.js';

export interface FaultyNodeOptions {
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
  readonly restartQuarantine: boolean;
}

/** A release that did not reach the node. */
interface Pending {
  readonly channel: string;
  readonly operation: ReleaseOperation;
  readonly since: Moment;
}

/** A node in memory with faults that a test causes; each service has a connection of its own to it. */
export class FaultyNode implements TestingNode {
  readonly #data: MemoryData;
  readonly #link: FaultyLink;
  readonly #connections = new Set<FaultyConnection>();
  #pending: Pending[] = [];

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly options: FaultyNodeOptions,
  ) {
    const start = clock.now();
    const world = { now: () => elapsed(start, clock.now()), date: () => clock.now().wall * 1_000 };
    this.#data = new MemoryData(world, options.maxTtl);
    this.#link = new FaultyLink(clock);
    if (options.restartQuarantine) this.#data.clear(options.maxTtl);
  }

  /** Returns the node as one service sees it; nodes answer that service on `channel`. */
  connect(channel: string): LockNode {
    return new FaultyConnection(this, channel);
  }

  /** Executes operations of a service once they reach the node. */
  send(
    channel: string,
    operations: readonly Operation[],
    answered: (answers: readonly Answer[] | Unknown) => void,
  ): void {
    this.#link.send({
      arrive: () => {
        const answers = this.#data.execute(channel, operations);
        soon(() => answered(answers));
      },
      fail: (reason, sent) => {
        const since = this.clock.now();
        for (const operation of operations)
          if (operation.kind === 'release') this.#pending.push({ channel, operation, since });
        answered({ kind: 'unknown', reason, sent });
      },
    });
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    this.#link.send({
      arrive: () => {
        const { quarantine } = this.#data;
        soon(() => answered(quarantine > 0 ? { kind: 'quarantined', remaining: quarantine } : { kind: 'up' }));
      },
      fail: (reason, sent) => answered({ kind: 'unknown', reason, sent }),
    });
  }

  /** Begins to notify a connection of events and hand-offs. */
  opened(connection: FaultyConnection, listener: NodeListener): void {
    this.#connections.add(connection);
    this.#data.subscribe(connection.channel, (message) =>
      this.#link.send({ arrive: () => soon(() => connection.listener?.handedOff(message)), fail: ignore }),
    );
    if (this.#link.isDown) listener.event({ type: 'node-down', reason: 'connection refused' });
  }

  /** Ends one connection: a test can still look at the data of the node. */
  closed(connection: FaultyConnection): void {
    this.#connections.delete(connection);
    this.#data.unsubscribe(connection.channel);
    if (this.#connections.size === 0) this.#link.break();
  }

  /** Ms on the monotonic clock of all. */
  get now(): number {
    return this.clock.now().monotonic;
  }

  /** Microseconds on the clock of the node. */
  get date(): number {
    return this.#data.date;
  }

  down(): void {
    if (this.#link.isDown) return;
    this.#link.goDown();
    this.#notify({ type: 'node-down', reason: 'connection closed' });
  }

  slow(ms: number): void {
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= LONGEST_TIMER)) {
      throw invalidValue('slow', ms, `a number of ms from 0 to ${LONGEST_TIMER}`);
    }
    this.#reach(() => this.#link.slowDown(ms));
  }

  freeze(): void {
    this.#reach(() => this.#link.freeze());
  }

  recover(): void {
    this.#reach(() => this.#link.recover());
  }

  restart({ keep = false, quarantine = this.options.restartQuarantine }: RestartOptions = {}): void {
    this.down();
    const remaining = quarantine ? this.options.maxTtl : 0;
    if (keep) this.#data.restart(remaining);
    else this.#data.clear(remaining);
    this.recover();
    if (quarantine) this.#notify({ type: 'node-quarantined', reason: 'it was restarted', remaining });
  }

  /** Returns the value of a resource, whatever is wrong with the connection. */
  read(resource: string): string | undefined {
    return this.#data.read(resource)?.value;
  }

  /** The resources that are locked on this node. */
  get resources(): string[] {
    return this.#data.resources;
  }

  /** The keys under which this node has a reply, or the mark of an attempt. */
  get replyKeys(): string[] {
    return this.#data.records.resources;
  }

  /** Returns the reply or the mark under a key, even if the node is unreachable. */
  readReply(key: string): Peeked | undefined {
    const answer = this.#data.records.execute({ kind: 'peek', resource: key }, 0);
    return answer.kind === 'peeked' ? answer : undefined;
  }

  /** Leaders go on leading: what they have announced stays. */
  forgetReplies(): void {
    const { records } = this.#data;
    const announced = this.replyKeys.flatMap((resource) => {
      const { running, remaining: ttl } = this.readReply(resource)!;
      return running && resource.startsWith(LEADER) ? [{ resource, ...running, ttl }] : [];
    });
    records.clear();
    for (const term of announced) records.openNew(term);
  }

  /** Gives a resource to somebody else, for `ttl` ms. */
  plant(resource: string, value: string, ttl: number): void {
    this.#data.plant(resource, value, ttl);
  }

  /** The token that the next holder of a resource gets. */
  nextToken(resource: string): number {
    return Math.max(Math.floor(this.date), (this.#data.lastToken(resource) ?? 0) + 1);
  }

  /** Announces the term of somebody else who has a role. It ends with the value: `leader(name)` asks for both. */
  plantTerm(resource: string, value: string, token: number): void {
    this.#data.execute('somebody else', [{ kind: 'raise', resource, value, token }]);
    this.#data.records.openNew({ resource, value, token, fingerprint: null, ttl: Infinity });
  }

  /** Releases what somebody else has: the first one in the queue gets it. */
  unplant(resource: string, value: string): void {
    this.send('somebody else', [{ kind: 'release', resource, value, what: 'stay', ttl: this.options.maxTtl }], ignore);
  }

  /** Applies a change after which the node is connected, if with another fault. A node that was down then gets its pending releases. */
  #reach(change: () => void): void {
    const wasDown = this.#link.isDown;
    change();
    if (!wasDown) return;
    const pending = this.#pending.filter(({ since, operation }) => elapsed(since, this.clock.now()) < operation.ttl);
    this.#pending = [];
    // The release goes without its old place in the queue: if anybody still waits, a later attempt takes the place again.
    for (const { channel, operation } of pending) {
      const { place: _place, ...release } = operation;
      this.send(channel, [{ ...release, what: 'stay' }], ignore);
    }
    this.#notify({ type: 'node-up' });
  }

  #notify(event: NodeEvent): void {
    for (const { listener } of this.#connections) listener?.event(event);
  }
}

/** A faulty node as one service sees it. */
class FaultyConnection implements LockNode {
  readonly name: string;
  listener: NodeListener | undefined;

  constructor(
    private readonly node: FaultyNode,
    readonly channel: string,
  ) {
    this.name = node.name;
  }

  send(operations: readonly Operation[], answered: (answers: readonly Answer[] | Unknown) => void): void {
    const asked = this.node.now;
    this.node.send(this.channel, operations, (answers) => {
      this.listener?.dated(this.node.date, asked, this.node.now);
      answered(answers);
    });
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    const asked = this.node.now;
    this.node.probe((answer) => {
      if (answer.kind !== 'unknown') this.listener?.dated(this.node.date, asked, this.node.now);
      answered(answer);
    });
  }

  open(listener: NodeListener): Promise<void> {
    this.listener = listener;
    this.node.opened(this, listener);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.listener = undefined;
    this.node.closed(this);
    return Promise.resolve();
  }
}

/** The options of `restart()`. */
export interface RestartOptions {
  /** Keeps the data of the node, like a node that writes everything to disk. @default false: the node comes back empty */
  keep?: boolean;
  /** Keeps the node in quarantine for `maxTtl` ms, like a restarted Redis node. @default the `restartQuarantine` of the module */
  quarantine?: boolean;
}

/** A node in memory, with the faults that a test can cause. Each fault replaces the fault before. */
export interface TestingNode {
  /** The name of the node in errors, events and `status()`. */
  readonly name: string;
  /** Makes the node unreachable. The node keeps its data. */
  down(): void;
  /** Makes every command reach the node `ms` ms late. */
  slow(ms: number): void;
  /** Makes the node take commands without an answer. The node executes all of them once it recovers. */
  freeze(): void;
  /** Ends the fault. */
  recover(): void;
  /** Restarts the node, without a fault. */
  restart(options?: RestartOptions): void;
}
