import { performance } from 'node:perf_hooks';
import { Redis, type ChainableCommander } from 'ioredis';
import { RESERVED } from '../../engine/reserved-keys.js';
import { whyFailed } from '../../redis/connection/connect-failure.js';
import { connectionNameOf } from '../../redis/connection/settings/connection-name.js';
import { connectionSettings } from '../../redis/connection/settings/connection-settings.js';
import type { NodeAddress } from '../../redis/connection/settings/node-address.js';
import { outliveErrors } from '../../redis/connection/wire/stream.js';
import type { Settings } from '../settings.js';
import { readMarker, type Marker } from './quarantine.js';

/** The replies to a pipeline, in the order of its commands. */
export type Replies = readonly (readonly [error: Error | null, reply: unknown])[];

/** A plain connection to one node, for one command. The connection is tried once, and never waits longer than the command may take. */
export class NodeSession {
  readonly name: string;
  /** What clients have noted on the node; undefined if there is nothing, or if that is unknown. */
  marker: Marker | undefined;
  readonly #redis: Redis;
  readonly #end: number;
  #obstacle: string | undefined = 'not connected yet';

  constructor(
    readonly address: NodeAddress,
    readonly settings: Settings,
  ) {
    const { options } = address;
    this.name = address.name;
    this.#end = performance.now() + settings.timeout;
    this.#redis = new Redis({
      ...connectionSettings({ connectTimeout: settings.timeout, ...options }),
      connectionName: connectionNameOf('cli'),
      retryStrategy: () => null,
    });
    this.#redis.on('error', (error: Error) => {
      outliveErrors(this.#redis.stream);
      this.#obstacle = whyFailed(error, address);
    });
  }

  /** Why the node cannot be asked; undefined if the node answers. */
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

  /** Ms that are left of the time of the command. */
  get left(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** Connects; resolves also if that fails, and `obstacle` says why. */
  async open(): Promise<void> {
    const before = this.#obstacle;
    try {
      await this.within(this.#redis.connect());
      // An error of the handshake, such as a wrong password, leaves the connection open.
      if (this.#obstacle !== before) return;
      await this.within(this.#redis.ping());
      this.#obstacle = undefined;
      const marker = await this.ask((redis) => redis.get(`${this.settings.prefix}${RESERVED.node}`)).catch(() => null);
      this.marker = readMarker(marker);
    } catch (error) {
      if (this.#obstacle === before) this.#obstacle = (error as Error).message;
    }
  }

  /** Asks the node something. @throws Error if the node refuses, or does not answer in time */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#obstacle !== undefined) return Promise.reject(new Error(this.#obstacle));
    return this.within(question(this.#redis));
  }

  /** Sends several commands at once. @throws Error if the node does not answer in time */
  askAll(fill: (pipeline: ChainableCommander) => void): Promise<Replies> {
    return this.ask(async (redis) => {
      const pipeline = redis.pipeline();
      fill(pipeline);
      return (await pipeline.exec()) ?? [];
    });
  }

  /** Rejects if `answer` takes more than a quarter of the time of the command: the rest is for the nodes that answer. */
  async within<T>(answer: Promise<T>): Promise<T> {
    const { left } = this;
    const { timeout } = this.settings;
    const ms = Math.min(left, timeout / 4);
    const reason =
      ms === left ? `the ${timeout} ms of the command are over: give a greater --timeout` : `no answer within ${ms} ms`;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(reason)), ms);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does something with the node, and gives the node up if that fails: then what it has is unknown. */
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

/** Runs `work` with a session for each node, and closes all of them afterwards. */
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
