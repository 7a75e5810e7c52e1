import type { Moment } from '../../../lib/core/time/clock.js';
import type { ConnectionListener, NodeConnection } from '../../../lib/redis/connection/connection.js';
import { PendingReplies, type PendingReply } from '../../../lib/redis/connection/wire/pending-replies.js';
import type { Reply } from '../../../lib/redis/connection/wire/wire-command.js';
import type { Machine } from '../world/machine.js';
import type { PoolAddress } from './pool.js';
import { Pipe, type Link } from './pipe.js';
import { Silence } from './silence.js';
import type { SimulatedNode } from './simulated-node.js';
import { SimulatedRedis } from './simulated-redis.js';
import type { Weakness } from '../faults/weakness.js';
import type { World } from '../world/world.js';

export interface ConnectionTerms {
  readonly machine: Machine;
  readonly address: PoolAddress;
  readonly link: Link;
  readonly weakness: Weakness | undefined;
}

interface Sent {
  readonly waiting: PendingReply;
  readonly wire: string;
}

/** What `NodeConnection` is to a Redis: the way of one client to one node, with the same promises about order and breaks. */
export class SimulatedConnection implements Pick<NodeConnection, keyof NodeConnection> {
  /** The node that the address leads to now, for this client. */
  node: SimulatedNode;
  readonly #redis = new SimulatedRedis();
  readonly #unanswered = new PendingReplies(() => this.#answered());
  readonly #silence: Silence;
  #pipe: Pipe | undefined;
  /** Since when a new connection is being introduced. */
  #handshakeSince: Moment | undefined;
  #isReady = false;
  #isClosed = false;
  /** What a connection that replays sends again. */
  #sent: Sent[] = [];

  constructor(
    private readonly world: World,
    private readonly terms: ConnectionTerms,
    private readonly listener: ConnectionListener,
  ) {
    this.node = terms.address.server;
    const since = (): Moment | undefined => this.#handshakeSince ?? this.#unanswered.oldest?.since;
    this.#silence = new Silence(terms.machine, since, () => this.break('silent for too long'));
  }

  /** That of the address. */
  get name(): string {
    return this.terms.address.name;
  }

  get link(): Link {
    return this.terms.link;
  }

  get isMoved(): boolean {
    return this.node !== this.terms.address.server;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get latestAnsweredSentAt(): Moment | undefined {
    return this.#unanswered.latestAnsweredSentAt;
  }

  async open(): Promise<void> {
    this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.break('the pool was closed');
  }

  send(_name: string, wire: string, settle: (reply: Reply) => void): Moment | undefined {
    const reason = this.obstacle();
    if (reason) {
      settle({ ok: false, reason, sent: false });
      return undefined;
    }
    const waiting = this.#unanswered.add(this.terms.machine.now(), settle);
    if (this.terms.weakness === 'replaying connections') this.#sent.push({ waiting, wire });
    this.#deliver(wire, (reply) => waiting.replied(reply));
    return waiting.since;
  }

  /** Why nothing can be sent now. */
  obstacle(): string | undefined {
    this.#silence.look();
    if (!this.#isReady) return 'not connected';
    return this.#silence.isNoticed ? 'silent' : undefined;
  }

  /** The connection ends; a new one is tried until it is there. */
  break(reason = 'connection closed'): void {
    if (!this.#pipe) return;
    this.#pipe.cut();
    this.#pipe = this.#handshakeSince = undefined;
    this.#isReady = this.#silence.isNoticed = false;
    this.#sent = this.#sent.filter(({ waiting }) => waiting.settle !== undefined);
    // A process that stands still learns of it later, and one that is dead never.
    this.terms.machine.take(() => {
      this.#redis.end(reason);
      this.#unanswered.giveUpAll({ ok: false, reason, sent: true });
      this.#reconnectLater();
    });
  }

  /** From now on the address leads to another node, or where it leads for all clients. */
  leadTo(node = this.terms.address.server): void {
    if (node === this.node) return;
    this.node = node;
    node.hasTwoWays = true;
    this.break();
  }

  #deliver(wire: string, take: (reply: Reply) => void): void {
    const pipe = this.#pipe!;
    const { node } = this;
    pipe.send(() => node.execute(wire, (reply) => pipe.reply(() => take(reply)), this.link.zombies));
  }

  #answered(): void {
    if (this.#isReady && this.#silence.isOver) this.#usable();
  }

  #connect(): void {
    const { machine, link } = this.terms;
    const { node } = this;
    const isBlocked = Math.max(link.requestsBlockedUntil, link.repliesBlockedUntil) > this.world.now;
    if (!node.answers || isBlocked) return this.#reconnectLater();
    const pipe = (this.#pipe = new Pipe(this.world, { machine, node, link }));
    this.#unanswered.startOver();
    this.#handshakeSince = machine.now();
    this.#redis.connect(pipe, node);
    void this.listener.ready(this.#redis.asRedis).then(() => this.#introduced(pipe));
  }

  #introduced(pipe: Pipe): void {
    if (this.#pipe !== pipe) return;
    this.#handshakeSince = undefined;
    this.#isReady = true;
    this.#usable();
  }

  #usable(): void {
    this.#silence.isNoticed = false;
    this.listener.usable();
    for (const { wire } of this.#sent.splice(0)) this.#deliver(wire, ignore);
  }

  #reconnectLater(): void {
    const { machine } = this.terms;
    const attempt = (): void => {
      if (!this.#isClosed && !this.#pipe) this.#connect();
    };
    if (this.#isClosed || machine.isDead) return;
    const { dice } = this.world;
    this.world.in(dice.between(1, dice.pick([5, 40])), () => machine.take(attempt));
  }
}

function ignore(): void {
  // It was answered when the connection broke.
}
