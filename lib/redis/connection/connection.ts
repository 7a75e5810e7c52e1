import { Redis, type RedisOptions } from 'ioredis';
import type { Clock, Moment } from '../../core/time/clock.js';
import type { NodeEvent } from '../../core/port/lock-node.js';
import { whyFailed } from './connect-failure.js';
import { connectionSettings } from './connection-settings.js';
import { outliveErrors, readAtOnce } from './stream.js';
import { PendingReplies } from './pending-replies.js';
import { within } from './within.js';
import { WireCommand, type Reply } from './wire-command.js';

/** Ms: how long the oldest unanswered command may wait before nothing more is sent behind it. */
const SUSPECT_AFTER = 1_000;
/** The same where more commands than this wait, all of which are kept until then. */
const MANY = 250;
const SUSPECT_MANY_AFTER = 250;
/** Ms from one look at a silent connection to the next. */
const LOOK_AGAIN_AFTER = 100;
/** Ms: how long a silent connection is kept, so that what it holds back stays in order, before it is replaced. */
const RECONNECT_AFTER = 15_000;
/** Ms to wait for the first connection of a node before going on without it. */
const OPEN_WITHIN = 1_000;
/** Ms to wait for the end of a connection: a frozen node never says goodbye. */
const CLOSE_WITHIN = 1_000;

/** Told of the life of a connection. */
export interface ConnectionListener {
  /** A new connection is ready; what is sent now comes before everything else, which begins when this resolves. */
  ready(redis: Redis): Promise<void>;
  /** The node can be talked to again. */
  usable(): void;
}

/** One connection to one node, which says at once when it cannot send, and never sends anything twice. */
export class NodeConnection {
  readonly #redis: Redis;
  readonly #unanswered = new PendingReplies(() => this.#answered());
  #tellPool: (event: NodeEvent) => void = () => undefined;
  #ready = false;
  /** Ms for which it has been connected without an answer when that was looked at; 0 where it answers. */
  #silence = 0;
  #checking = false;
  #told: NodeEvent['type'] | undefined;
  #down = 'not connected yet';
  /** When the handshake of a new connection began; undefined while none is under way. */
  #handshakeSince: number | undefined;
  #refusal: string | undefined;

  constructor(
    options: RedisOptions,
    private readonly listener: ConnectionListener,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {
    this.#redis = new Redis(connectionSettings(options));
    this.#redis.on('connect', () => (this.#handshakeSince = this.clock.now().monotonic));
    this.#redis.on('ready', () => this.#connectedAndReady());
    this.#redis.on('error', (error: NodeJS.ErrnoException) => this.#failed(whyFailed(error, options)));
    this.#redis.on('close', () => this.#lost());
  }

  /** When the latest command was sent whose reply is here; what the node did after that reply cannot be older. */
  get lastAnswered(): Moment | undefined {
    return this.#unanswered.lastAnswered;
  }

  open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#tellPool = listener;
    return within(OPEN_WITHIN, this.#redis.connect().catch(ignore), this.clock);
  }

  /** Sends what is already in the form of the protocol, and returns when; answers in the same turn where that cannot be. */
  send(name: string, wire: string, settle: (reply: Reply) => void): Moment | undefined {
    const reason = this.obstacle();
    if (reason) {
      settle({ ok: false, reason, sent: false });
      return undefined;
    }
    const waiting = this.#unanswered.add(this.clock.now(), settle);
    void this.#redis.sendCommand(new WireCommand(name, wire, waiting));
    return waiting.since;
  }

  async close(): Promise<void> {
    this.#tellPool = () => undefined;
    const connected = ['connecting', 'connect', 'ready'].includes(this.#redis.status);
    const ended = new Promise<void>((resolve) => this.#redis.once('end', resolve));
    this.#redis.disconnect();
    // Between two tries there is no connection whose end could be told.
    if (connected) await within(CLOSE_WITHIN, ended, this.clock);
    this.#settleAll('the pool was closed');
  }

  /** Why nothing can be sent now. */
  obstacle(): string | undefined {
    if (!this.#checking && this.#silentFor > this.#suspectAfter) this.#checkSilence();
    return this.#ready && this.#silence === 0 ? undefined : this.#down;
  }

  get #suspectAfter(): number {
    if (this.#silence > 0) return this.#silence + LOOK_AGAIN_AFTER;
    return this.#unanswered.size > MANY ? SUSPECT_MANY_AFTER : SUSPECT_AFTER;
  }

  /** Once input that has already arrived was read: it may be this process that stood still, not the node. */
  #checkSilence(): void {
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      // Whole ms: with the first fraction in a field V8 throws away all code that touches a connection.
      const silence = Math.ceil(this.#silentFor);
      if (silence <= this.#suspectAfter) return;
      this.#down = `silent for ${silence} ms`;
      this.#silence = silence;
      this.#tell({ type: 'node-down', reason: this.#down });
      if (silence > RECONNECT_AFTER) this.#reconnect();
    });
  }

  /** An error before the connection is ready, as of a database that is not there, makes it unusable. */
  #failed(reason: string): void {
    outliveErrors(this.#redis.stream);
    this.#down = reason;
    if (this.#handshakeSince !== undefined) this.#refusal = reason;
  }

  #reconnect(): void {
    this.#ready = false;
    this.#handshakeSince = undefined;
    this.#redis.disconnect(true);
  }

  /** Ms for which a handshake, or else the oldest command, has been open; 0 where there is none. */
  get #silentFor(): number {
    const since = this.#handshakeSince ?? this.#unanswered.oldest?.since.monotonic;
    return since === undefined ? 0 : this.clock.now().monotonic - since;
  }

  #answered(): void {
    if (this.#silence === 0 || !this.#ready) return;
    if (this.#silentFor <= SUSPECT_AFTER) this.#usable();
  }

  #connectedAndReady(): void {
    if (this.#refusal !== undefined) {
      this.#handshakeSince = undefined;
      return this.#tell({ type: 'node-down', reason: this.#refusal });
    }
    const { stream } = this.#redis;
    this.#unanswered.begin();
    readAtOnce(stream);
    void this.listener.ready(this.#redis).then(() => this.#introduced(stream));
  }

  #introduced(stream: Redis['stream']): void {
    if (this.#redis.stream !== stream || this.#handshakeSince === undefined) return;
    this.#handshakeSince = undefined;
    this.#ready = true;
    this.#usable();
  }

  #usable(): void {
    this.#silence = 0;
    this.listener.usable();
    this.#tell({ type: 'node-up' });
  }

  #lost(): void {
    if (this.#ready) this.#down = 'connection closed';
    this.#ready = false;
    this.#silence = 0;
    this.#refusal = undefined;
    this.#handshakeSince = undefined;
    this.#settleAll(this.#down);
    this.#tell({ type: 'node-down', reason: this.#down });
  }

  /** Once for each change, not for each command or try that fails. */
  #tell(event: NodeEvent): void {
    if (event.type === this.#told) return;
    this.#told = event.type;
    this.#tellPool(event);
  }

  #settleAll(reason: string): void {
    this.#unanswered.giveUpAll({ ok: false, reason, sent: true });
  }
}

function ignore(): void {
  // What cannot be sent or connected now is answered so when it is asked for.
}
