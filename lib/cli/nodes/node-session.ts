import { Redis } from 'ioredis';
import { FAMILIES } from '../../core/port/key-families.js';
import { whyFailed } from '../../redis/connection/connect-failure.js';
import { connectionNameOf } from '../../redis/connection/settings/connection-name.js';
import { connectionSettings } from '../../redis/connection/settings/connection-settings.js';
import type { NodeAddress } from '../../redis/connection/settings/node-address.js';
import { outliveErrors } from '../../redis/connection/wire/stream.js';
import type { Settings } from '../settings.js';
import { inTime } from './in-time.js';
import { readMarker, type Marker } from './marker.js';

/** A plain connection to one node, on which an operator looks around. It is tried once, and a node that is silent is told from one that is down. */
export class NodeSession {
  readonly name: string;
  /** What the clients of the node have noted on it; undefined where there is nothing, or nothing is known. */
  marker: Marker | undefined;
  readonly #redis: Redis;
  #obstacle: string | undefined = 'not connected yet';

  constructor(
    readonly address: NodeAddress,
    readonly settings: Settings,
  ) {
    const { options } = address;
    this.name = address.name;
    this.#redis = new Redis({
      ...connectionSettings({ connectTimeout: settings.timeout, ...options }),
      connectionName: connectionNameOf('cli'),
      retryStrategy: () => null,
    });
    this.#redis.on('error', (error: Error) => {
      outliveErrors(this.#redis.stream);
      this.#obstacle = whyFailed(error, options);
    });
  }

  /** Why the node cannot be asked; undefined where it can. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  get isUp(): boolean {
    return this.#obstacle === undefined;
  }

  /** Whether the connection speaks the protocol by which a node can tell a waiter that it is its turn. */
  get isResp3(): boolean {
    return this.#redis.condition?.protocol === 3;
  }

  /** Connects; resolves also where that fails, and `obstacle` says why. */
  async open(): Promise<void> {
    const { timeout, keyPrefix } = this.settings;
    const before = this.#obstacle;
    try {
      await inTime(this.#redis.connect(), timeout);
      // An error of the handshake, such as a wrong password, does not keep the connection from being made.
      if (this.#obstacle !== before) return;
      await inTime(this.#redis.ping(), timeout);
      this.#obstacle = undefined;
      const marker = await this.ask((redis) => redis.get(`${keyPrefix}${FAMILIES.node}`)).catch(() => null);
      this.marker = readMarker(marker);
    } catch (error) {
      if (this.#obstacle === before) this.#obstacle = (error as Error).message;
    }
  }

  /** Asks the node something. @throws Error where the node refuses or does not answer in time */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#obstacle !== undefined) return Promise.reject(new Error(this.#obstacle));
    return inTime(question(this.#redis), this.settings.timeout);
  }

  /** Does something with the node, and gives the node up where that fails: what it has is not known then. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#obstacle ??= (error as Error).message;
      return undefined;
    }
  }

  close(): void {
    this.#redis.disconnect();
  }
}

/** Runs `work` with a session for each node; all of them are closed afterwards. */
export async function withSessions<T>(
  settings: Settings,
  work: (sessions: readonly NodeSession[]) => Promise<T>,
): Promise<T> {
  const sessions = settings.addresses.map((address) => new NodeSession(address, settings));
  try {
    await Promise.all(sessions.map((session) => session.open()));
    return await work(sessions);
  } finally {
    for (const session of sessions) session.close();
  }
}
