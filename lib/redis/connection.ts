import { Command, Redis, type RedisOptions } from 'ioredis';
import type { NodeEvent } from '../core/lock-node.js';
import { SCRIPTS } from './scripts.js';

/** Ms: how long the oldest unanswered command may wait before nothing more is sent behind it. */
const SUSPECT_AFTER = 1_000;
/** Ms: how long a silent connection is kept, so that what it holds back stays in order, before it is made anew. */
const RECONNECT_AFTER = 15_000;
/** Ms to wait for the first connection of a node before going on without it. */
const OPEN_WITHIN = 1_000;
/** Ms to wait for the end of a connection: a frozen node never says goodbye. */
const CLOSE_WITHIN = 1_000;

/** Settings that a lock cannot do without: ioredis by default replays an unanswered command on a restarted, empty server. */
const OWN_SETTINGS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  stringNumbers: false,
  reconnectOnError: null,
  retryStrategy: (times) => Math.min(1_000, 25 * 2 ** Math.min(times, 6)) * (0.75 + Math.random() / 2),
};

/** What comes back for a command: the reply, an error reply, or word that there will be none. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly sent: boolean };

interface Waiting {
  readonly since: number;
  readonly settle: (reply: Reply) => void;
}

/** One connection to one node, which says at once when it cannot send, and never sends anything twice. */
export class NodeConnection {
  readonly #redis: Redis;
  readonly #waiting = new Set<Waiting>();
  #listener: (event: NodeEvent) => void = () => undefined;
  #ready = false;
  /** Whether it is connected and does not answer. */
  #silent = false;
  #checking = false;
  #told: NodeEvent['type'] | undefined;
  #down = 'not connected yet';
  /** When the handshake of a new connection began; undefined while none is under way. */
  #handshakeSince: number | undefined;
  #refusal: string | undefined;

  constructor(
    options: RedisOptions,
    /** Called whenever the node can be talked to again, before anything else is sent. */
    private readonly onUsable: () => void,
  ) {
    this.#redis = new Redis({
      connectTimeout: 2_000,
      disconnectTimeout: 500,
      keepAlive: 5_000,
      ...options,
      ...OWN_SETTINGS,
    });
    this.#redis.on('connect', () => (this.#handshakeSince = performance.now()));
    this.#redis.on('ready', () => this.#connectedAndReady());
    this.#redis.on('error', (error: NodeJS.ErrnoException) =>
      this.#failed(error.message || (error.code ?? error.name)),
    );
    this.#redis.on('close', () => this.#lost());
  }

  open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#listener = listener;
    return within(OPEN_WITHIN, this.#redis.connect().catch(ignore));
  }

  /** Sends a command and returns true, or answers in a microtask why it was not sent. */
  send(name: string, args: readonly (string | number)[], settle: (reply: Reply) => void): boolean {
    const reason = this.#obstacle();
    if (reason) queueMicrotask(() => settle({ ok: false, reason, sent: false }));
    else this.#transmit(new Command(name, [...args], { replyEncoding: 'utf8' }), settle);
    return !reason;
  }

  #transmit(command: Command, settle: (reply: Reply) => void): void {
    const waiting: Waiting = { since: performance.now(), settle };
    this.#waiting.add(waiting);
    (this.#redis.sendCommand(command) as Promise<unknown>).then(
      (value) => this.#answer(waiting, { ok: true, value }),
      (error: Error) => this.#answer(waiting, { ok: false, reason: error.message, sent: true }),
    );
  }

  async close(): Promise<void> {
    this.#listener = () => undefined;
    const connected = ['connecting', 'connect', 'ready'].includes(this.#redis.status);
    const ended = new Promise<void>((resolve) => this.#redis.once('end', resolve));
    this.#redis.disconnect();
    // Between two tries there is no connection whose end could be told.
    if (connected) await within(CLOSE_WITHIN, ended);
    this.#settleAll('the pool was closed');
  }

  /** Why nothing can be sent now. */
  #obstacle(): string | undefined {
    const since = this.#handshakeSince ?? this.#oldest();
    if (!this.#checking && since !== undefined && performance.now() - since > SUSPECT_AFTER) this.#checkSilence();
    return this.#ready && !this.#silent ? undefined : this.#down;
  }

  /** Once input that has already arrived was read: it may be this process that stood still, not the node. */
  #checkSilence(): void {
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      const since = this.#handshakeSince ?? this.#oldest();
      const silence = since === undefined ? 0 : performance.now() - since;
      if (silence <= SUSPECT_AFTER) return;
      this.#down = `silent for ${Math.round(silence)} ms`;
      this.#silent = true;
      this.#tell({ type: 'node-down', reason: this.#down });
      if (silence > RECONNECT_AFTER) this.#reconnect();
    });
  }

  /** An error before the connection is ready, as of a database that is not there, makes it unusable. */
  #failed(reason: string): void {
    this.#down = reason;
    if (this.#handshakeSince !== undefined) this.#refusal = reason;
  }

  #reconnect(): void {
    this.#ready = false;
    this.#handshakeSince = undefined;
    this.#redis.disconnect(true);
  }

  /** When the oldest unanswered command was sent. */
  #oldest(): number | undefined {
    const [oldest] = this.#waiting;
    return oldest?.since;
  }

  #answer(waiting: Waiting, reply: Reply): void {
    if (!this.#waiting.delete(waiting)) return;
    waiting.settle(reply);
    if (!this.#silent || !this.#ready) return;
    const oldest = this.#oldest();
    if (oldest === undefined || performance.now() - oldest <= SUSPECT_AFTER) this.#usable();
  }

  #connectedAndReady(): void {
    this.#handshakeSince = undefined;
    if (this.#refusal !== undefined) return this.#tell({ type: 'node-down', reason: this.#refusal });
    for (const script of SCRIPTS) this.#redis.call('SCRIPT', 'LOAD', script.lua).catch(ignore);
    this.#ready = true;
    this.#usable();
  }

  #usable(): void {
    this.#silent = false;
    this.onUsable();
    this.#tell({ type: 'node-up' });
  }

  #lost(): void {
    if (this.#ready) this.#down = 'connection closed';
    this.#ready = false;
    this.#silent = false;
    this.#refusal = undefined;
    this.#handshakeSince = undefined;
    this.#settleAll(this.#down);
    this.#tell({ type: 'node-down', reason: this.#down });
  }

  /** Once for each change, not for each command or try that fails. */
  #tell(event: NodeEvent): void {
    if (event.type === this.#told) return;
    this.#told = event.type;
    this.#listener(event);
  }

  #settleAll(reason: string): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { settle } of waiting) settle({ ok: false, reason, sent: true });
  }
}

function ignore(): void {
  // What cannot be sent or connected now is answered so when it is asked for.
}

/** Resolves with `event`, or without it after `limit` ms. */
async function within(limit: number, event: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limit)));
  await Promise.race([event, late]);
  clearTimeout(timer);
}
