import { Redis, type RedisOptions } from 'ioredis';
import { types } from 'node:util';
import { AbortSource } from '../../engine/abort.js';
import type { Clock } from '../../engine/clock.js';
import { inRootContext } from '../../engine/native-timers.js';
import { whyNotBegun } from './connect-failure.js';
import { nodeText } from './wire/node-text.js';
import { WireCommand } from './wire/wire-command.js';
import { askForCredentials, type CredentialsFunction } from './settings/credentials.js';

/** Ms between two attempts if `credentials()` fails, or a connection cannot even begin: the first pause, and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/** A client of ioredis that calls `credentials()` of its node, if there is one, before each connection, and logs in by what it returns. */
export class CredentialsClient extends Redis {
  /** The options of TLS that the node has by itself. */
  readonly #tls: RedisOptions['tls'];
  readonly #closing = new AbortSource();
  #isAsking = false;
  #failures = 0;
  #stopPause = (): void => undefined;
  /** Ms to wait at least before the next connection. */
  #pause = 0;

  constructor(
    options: RedisOptions,
    private readonly credentials: CredentialsFunction | undefined,
    private readonly clock: Pick<Clock, 'schedule'>,
    /** Called with the reason each time that `credentials()` has failed, or a connection could not even begin. */
    private readonly failed: (reason: string) => void,
  ) {
    super({ ...options, replyMapping: 'legacy' });
    inBackground(this);
    const usual = options.retryStrategy;
    this.options.retryStrategy = (times) => this.#pauseAfter(usual?.(times));
    this.#tls = options.tls;
  }

  /** Whether the client waits for `credentials()`, and so does not connect. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  get #isClosed(): boolean {
    return this.#closing.reason !== undefined;
  }

  /** Waits for at least so many ms before the next connection. */
  pauseBefore(ms: number): void {
    this.#pause = ms;
  }

  /** Reduces the error text of a node to what is safe to keep. */
  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    if (!(command instanceof WireCommand)) {
      const { reject } = command;
      command.reject = (error) => {
        if (error.name === 'ReplyError') error.message = nodeText(error.message);
        reject(error);
      };
    }
    return super.sendCommand(command, stream);
  }

  /** Called by the owner for the first connection, and by ioredis for each further one. */
  override async connect(): Promise<void> {
    const { credentials } = this;
    if (credentials !== undefined && (this.#isClosed || !(await this.#ask(credentials)))) return;
    await inRootContext(() => super.connect()).catch((error: unknown) => this.#notConnected(error));
    this.#failures = 0;
  }

  override disconnect(reconnect = false): void {
    if (!reconnect) {
      this.#closing.stop(new Error('the pool was closed'));
      this.#stopPause();
    }
    super.disconnect(reconnect);
  }

  #pauseAfter(usual: number | null | void): number | null | void {
    const pause = this.#pause;
    this.#pause = 0;
    return typeof usual === 'number' ? Math.max(usual, pause) : usual;
  }

  /** Returns whether there are credentials to connect with; if they are missing, it connects later. */
  async #ask(credentials: CredentialsFunction): Promise<boolean> {
    this.#isAsking = true;
    try {
      const { username, password, tls } = await askForCredentials(credentials, this.clock, this.#closing);
      if (tls !== undefined && this.#tls === undefined)
        throw new TypeError('it has returned tls, and the node has none: add tls: {} to the node');
      Object.assign(this.options, {
        username,
        password,
        tls: tls === undefined ? this.#tls : { ...this.#tls, ...tls },
      });
      return !this.#isClosed;
    } catch (error) {
      this.#connectLater(`credentials() failed: ${reasonOf(error)}`);
      return false;
    } finally {
      this.#isAsking = false;
    }
  }

  /**
   * Passes the error on. ioredis connects again by itself after a connection that broke or was refused. If TLS throws at once, for example because
   * certificate and key do not match, ioredis ends without `close`, and this client has to connect again.
   */
  #notConnected(error: unknown): never {
    if (this.status === 'end') this.#connectLater(whyNotBegun(reasonOf(error)));
    else this.#failures = 0;
    throw error;
  }

  /** Connects later, and tells why. Others must not wait for the same moment, so the pause differs from client to client. */
  #connectLater(reason: string): void {
    if (this.#isClosed) return;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#stopPause = this.clock.schedule(pause, () => void this.connect().catch(ignore));
    this.failed(reason);
  }
}

function reasonOf(error: unknown): string {
  // Errors of Node.js itself are of another realm if the application runs in a context of `node:vm`, as in tests.
  return error instanceof Error || types.isNativeError(error) ? error.message : 'it threw a value that is no Error';
}

function ignore(): void {
  // ioredis has told the owner by an event.
}

/** What is private in ioredis, which has no option for sockets and timers that keep no process alive. */
interface Inside {
  readonly reconnectTimeout: NodeJS.Timeout | null;
  readonly connector: {
    connect: (...args: unknown[]) => Promise<Redis['stream']>;
    /** Only of a master of Sentinel. */
    connectToSentinel?: (...args: unknown[]) => Redis;
  };
}

/** Lets a process end although this client is connected, connects, or waits for its next attempt. */
export function inBackground(client: Redis): void {
  const { connector } = client as unknown as Inside;
  const connect = connector.connect.bind(connector);
  connector.connect = async (...args) => {
    const stream = await connect(...args);
    return stream.unref();
  };
  // A socket that tries several addresses is another one inside in the end.
  client.on('connect', () => client.stream.unref());
  client.on('reconnecting', () => (client as unknown as Inside).reconnectTimeout?.unref());
  const toSentinel = connector.connectToSentinel?.bind(connector);
  if (!toSentinel) return;
  connector.connectToSentinel = (...args) => {
    const sentinel = toSentinel(...args);
    inBackground(sentinel);
    return sentinel;
  };
}
