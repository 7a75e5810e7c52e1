import type { Redis } from 'ioredis';
import { type Clock, type Moment, withDeadline } from '../../engine/clock.js';
import { ignore, setImmediate } from '../../engine/native-timers.js';
import type { NodeEvent } from '../../engine/lock-node.js';
import { CredentialsClient } from './credentials-client.js';
import { isForOperator, whyFailed } from './connect-failure.js';
import { connectionSettings } from './settings/connection-settings.js';
import type { NodeAddress } from './settings/node-address.js';
import { nodeText, NonsenseError } from './wire/node-text.js';
import { outliveErrors, screenInput } from './wire/resp-screen.js';
import { PendingReplies } from './wire/pending-replies.js';
import { type Reply, WireCommand } from './wire/wire-command.js';

/** Ms to wait for the first connection of a node before going on without it. */
const OPEN_WITHIN = 1_000;
/** Ms to wait for the end of a connection: a frozen node never confirms it. */
const CLOSE_WITHIN = 1_000;
/** Ms to wait before the next connection to a node that has refused its database. */
const ASK_AGAIN_AFTER = 1_000;

/** What ioredis adds to the errors of its reader. */
const UNREADABLE = '. Please report this.';

/** Notified when a connection becomes ready, and usable. */
export interface ConnectionListener {
  /** Called when a new connection is ready. Commands sent here come first; all others are sent once the promise has resolved. */
  ready(redis: Redis): Promise<void>;
  /** Called when commands can be sent to the node again. */
  usable(): void;
}

/** One connection to one node. It says at once when it cannot send, and never sends a command twice. */
export class NodeConnection {
  readonly #redis: CredentialsClient;
  readonly #unanswered = new PendingReplies(
    () => this.#answered(),
    (error) => this.#redis.stream.destroy(new NonsenseError(`its answer could not be handled: ${error.message}`)),
  );
  readonly #report = new ConnectionReport((event) => this.#notifyPool(event));
  #notifyPool: (event: NodeEvent) => void = () => undefined;
  #ready = false;
  /** Ms for which the connection had been without an answer at the latest check; 0 while it answers. */
  #silence = 0;
  #checking = false;
  #down = 'not connected yet';
  /** When the handshake of a new connection began; undefined while none is under way. */
  #handshakeSince: number | undefined;
  #refusal: string | undefined;
  /** Why the present connection is left. */
  #nonsense: string | undefined;
  readonly #amends = new Amends();

  constructor(
    private readonly address: Pick<NodeAddress, 'options' | 'isUrl'>,
    private readonly listener: ConnectionListener,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {
    const { credentials, ...options } = address.options;
    const failed = (reason: string): void => this.#isDown(reason);
    this.#redis = new CredentialsClient(connectionSettings(options), credentials, clock, failed);
    this.#redis.on('connect', () => this.#connected());
    this.#redis.on('ready', () => this.#connectedAndReady());
    this.#redis.on('error', (error: NodeJS.ErrnoException) => this.#erred(error));
    this.#redis.on('close', () => this.#lost());
  }

  /** A failure is the answer to the next command. */
  open(listener: (event: NodeEvent) => void): Promise<void> {
    this.#notifyPool = listener;
    return withDeadline(OPEN_WITHIN, this.#redis.connect().catch(ignore), this.clock);
  }

  /** Sends an encoded command and returns when it was sent; if it cannot be sent, calls `settle` in the same turn and returns undefined. */
  send(name: string, wire: string, settle: (reply: Reply) => void): Moment | undefined {
    const reason = this.obstacle();
    if (reason) {
      settle({ ok: false, reason, sent: false });
      return undefined;
    }
    const pending = this.#unanswered.add(this.clock.now(), settle);
    void this.#redis.sendCommand(new WireCommand(name, wire, pending));
    return pending.since;
  }

  async close(): Promise<void> {
    this.#notifyPool = () => undefined;
    const connected = ['connecting', 'connect', 'ready'].includes(this.#redis.status);
    const ended = new Promise<void>((resolve) => this.#redis.once('end', resolve));
    this.#redis.disconnect();
    // Between two attempts to connect there is no connection whose end could be reported.
    if (connected) await withDeadline(CLOSE_WITHIN, ended, this.clock);
    this.#settleAll('the pool was closed');
  }

  /** Returns why nothing can be sent now; undefined if commands can be sent. */
  obstacle(): string | undefined {
    if (!this.#checking && this.#silentFor > this.#suspectAfter) this.#checkSilence();
    if (this.#ready && this.#silence === 0) return undefined;
    return this.#redis.isAsking ? 'its credentials() has not answered yet' : this.#down;
  }

  get #suspectAfter(): number {
    return suspectAfter(this.#silence, this.#unanswered.size);
  }

  /** Checks the silence once input that has already arrived was read: it may be this process that stood still, not the node. */
  #checkSilence(): void {
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      const silence = Math.ceil(this.#silentFor);
      if (silence <= this.#suspectAfter) return;
      this.#down = `silent for ${silence} ms`;
      this.#silence = silence;
      this.#report.down(this.#down);
      if (silence > RECONNECT_AFTER) this.#reconnect();
    });
  }

  /** The options are those of the connection, to which `credentials()` may have added. */
  #whyFailed(error: Error): string {
    return whyFailed(error, { isUrl: this.address.isUrl, options: this.#redis.options });
  }

  #connected(): void {
    this.#handshakeSince = this.clock.now().monotonic;
    this.#nonsense = undefined;
    screenInput(this.#redis);
  }

  #erred(error: NodeJS.ErrnoException): void {
    if (!(error instanceof NonsenseError || error.message.endsWith(UNREADABLE)))
      return this.#failed(this.#whyFailed(error));
    // If ioredis cannot read the input, ioredis ends only its own side of the connection, and the node may go on sending.
    this.#redis.stream.destroy();
    this.#redis.pauseBefore(this.#amends.pauseAt(this.clock.now().monotonic));
    this.#nonsense = nodeText(error.message);
    this.#failed(this.#nonsense);
  }

  /** Takes note of an error. An error before the connection is ready, for example about a missing database, makes it unusable. */
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

  /** Ms for which a handshake, or else the oldest command, has had no answer; 0 if there is neither. */
  get #silentFor(): number {
    const since = this.#handshakeSince ?? this.#unanswered.oldest?.since.monotonic;
    return since === undefined ? 0 : this.clock.now().monotonic - since;
  }

  #answered(): void {
    if (this.#silence === 0 || !this.#ready) return;
    if (this.#silentFor <= SUSPECT_AFTER) this.#usable();
  }

  #connectedAndReady(): void {
    if (this.#refusal === undefined) return this.#identify(this.#redis.stream);
    // ioredis asks for its database once, and then takes the connection for ready: the next connection asks again.
    this.#isDown(this.#refusal);
    this.#redis.pauseBefore(ASK_AGAIN_AFTER);
    this.#reconnect();
  }

  #identify(stream: Redis['stream']): void {
    void this.listener.ready(this.#redis).then(() => this.#identified(stream));
  }

  #identified(stream: Redis['stream']): void {
    if (this.#redis.stream !== stream || this.#handshakeSince === undefined) return;
    this.#handshakeSince = undefined;
    this.#ready = true;
    this.#usable();
  }

  #usable(): void {
    this.#silence = 0;
    this.listener.usable();
    this.#report.up();
  }

  #lost(): void {
    if (this.#nonsense !== undefined) this.#down = this.#nonsense;
    else if (this.#ready) this.#down = 'connection closed';
    else if (this.#handshakeSince !== undefined && this.#refusal === undefined)
      this.#down = this.#whyFailed(new Error('the node closed the connection before it was ready'));
    this.#ready = false;
    this.#silence = 0;
    this.#refusal = undefined;
    this.#handshakeSince = undefined;
    this.#settleAll(this.#down);
    this.#report.down(this.#down);
  }

  /** It cannot be used, although it was not lost: it could not begin, as without credentials, or the node refuses its database. */
  #isDown(reason: string): void {
    this.#down = reason;
    this.#report.down(reason);
  }

  #settleAll(reason: string): void {
    this.#unanswered.giveUpAll({ ok: false, reason, sent: true });
  }
}

/** Reports each change of a connection once, and not each command or attempt that fails. */
export class ConnectionReport {
  #isUp: boolean | undefined;
  /** Whether it was reported, since the connection was up last, that somebody has to do something. */
  #isOperatorTold = false;

  constructor(private readonly notify: (event: NodeEvent) => void) {}

  up(): void {
    this.#isOperatorTold = false;
    if (this.#isUp === true) return;
    this.#isUp = true;
    this.notify({ type: 'node-up' });
  }

  /**
   * Reports the end of a connection. Of the attempts that follow it reports the first one whose failure does not pass by itself, such as a
   * password that is not accepted any more: the reason for the end of the connection says nothing of that.
   */
  down(reason: string): void {
    const wasDown = this.#isUp === false;
    const isNews = isForOperator(reason) && !this.#isOperatorTold;
    this.#isUp = false;
    this.#isOperatorTold ||= isNews;
    if (!wasDown) this.notify({ type: 'node-down', reason });
    else if (isNews) this.notify({ type: 'node-warning', reason });
  }
}

/** Ms for which the oldest command may stay unanswered before nothing more is sent behind it. */
export const SUSPECT_AFTER = 1_000;
/** With more unanswered commands than this, the shorter time below applies, because unanswered commands stay in memory until that time is over. */
const MANY = 250;
const SUSPECT_MANY_AFTER = 250;
/** Ms between two checks of a silent connection. */
const LOOK_AGAIN_AFTER = 100;
/** Ms after which a silent connection is replaced; until then it is kept, so that the commands that it holds back stay in order. */
export const RECONNECT_AFTER = 15_000;

/** Returns the ms of silence after which a connection is checked; `silence` is the silence at the latest check, ms. */
export function suspectAfter(silence: number, unanswered: number): number {
  if (silence > 0) return silence + LOOK_AGAIN_AFTER;
  return unanswered > MANY ? SUSPECT_MANY_AFTER : SUSPECT_AFTER;
}

/** Ms before a node that has sent nonsense is tried again: the first pause, and the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Ms after which nonsense is forgotten. */
const FORGOTTEN_AFTER = 120_000;

/** How long a node that sends nonsense is left alone: twice as long each time, until it has sent none for a while. */
export class Amends {
  #times = 0;
  #latest = -Infinity;

  /** Returns the ms to wait after nonsense at `now`, ms on the monotonic clock. Others must not come back at the same moment. */
  pauseAt(now: number): number {
    this.#times = now - this.#latest > FORGOTTEN_AFTER ? 0 : this.#times + 1;
    this.#latest = now;
    return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#times) * (0.75 + Math.random() / 2);
  }
}
