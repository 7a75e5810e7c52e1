import { performance } from 'node:perf_hooks';
import { type ChainableCommander, Redis } from 'ioredis';
import { RESERVED } from '../../engine/resources.js';
import { whyFailed } from '../../redis/connection/connect-failure.js';
import { connectionNameOf, connectionSettings } from '../../redis/connection/settings/connection-settings.js';
import type { NodeAddress } from '../../redis/connection/settings/node-address.js';
import { outliveErrors } from '../../redis/connection/wire/resp-screen.js';
import { maxTtlOf, type Settings } from '../settings.js';
import { SystemClock } from '../../engine/system-clock.js';
import { systemRandom } from '../../engine/random.js';
import { BatchEncoder, channelOf } from '../../redis/codec.js';
import { RedisNode } from '../../redis/redis-node.js';
import { MAY_HAVE_FORGOTTEN } from '../../engine/status.js';

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

/**
 * Runs `work` with a node as the library sees it, which `work` opens, over a connection of its own.
 * @throws Error if that takes longer than the node may take
 */
export async function withLockNode<T>(
  session: NodeSession,
  { keyPrefix, restartQuarantine }: { readonly keyPrefix: string; readonly restartQuarantine: boolean },
  work: (node: RedisNode, clock: SystemClock) => Promise<T>,
): Promise<T> {
  const { address, settings, marker } = session;
  const clock = new SystemClock();
  const options = { ...address.options, connectionName: connectionNameOf('cli') };
  const channel = channelOf(keyPrefix, systemRandom.id());
  const maxTtl = maxTtlOf(settings, marker?.longest);
  const encoder = new BatchEncoder({ keyPrefix, channel, maxTtl, restartQuarantine });
  const node = new RedisNode({ ...address, options }, encoder, clock);
  try {
    return await session.within(work(node, clock));
  } finally {
    // A frozen node would never confirm the end.
    void node.close();
  }
}

/** What clients note on a node, so that they notice a restart: see `lib/redis/scripts/trust.lua.ts`. */
export interface Marker {
  /** The run of the server that the clients have seen. */
  readonly run: string;
  /** Microseconds on the clock of the node: when a client has seen that run first. */
  readonly since: number;
  /** Ms: the longest lease of all clients. */
  readonly longest: number;
}

/** What tells whether clients would count the vote of a node. */
export interface Server {
  readonly marker: Marker | undefined;
  /** Whether anybody has ever had a lock on it, as far as it remembers. */
  readonly isUsed: boolean;
  /** The present run; undefined if the node does not tell. */
  readonly run: string | undefined;
  /** Microseconds on the clock of the node. */
  readonly now: number;
}

/** Why a node does not vote, and for how many ms. */
export interface Quarantine {
  readonly reason: string;
  readonly votesIn: number;
}

const MARKER = /^(\w+)\|(\d+)\|(\d+)$/;

export function readMarker(text: string | null): Marker | undefined {
  const [, run, since, longest] = MARKER.exec(text ?? '') ?? [];
  return run === undefined ? undefined : { run, since: Number(since), longest: Number(longest) };
}

/** Returns the quarantine of a node, or the quarantine that its next client would begin. Only reads: the CLI begins no quarantine. */
export function quarantineOf(
  { marker, run, now }: Server,
  all: readonly Server[],
  maxTtl: (noted: number | undefined) => number,
): Quarantine | undefined {
  if (marker === undefined) {
    const noted = all.find((server) => server.marker !== undefined)?.marker;
    // Locks without any marker are those of clients with `restartQuarantine: false`.
    if (!noted && all.some(({ isUsed }) => isUsed)) return undefined;
    const reason = 'new or emptied: its first client will put it into quarantine';
    return { reason, votesIn: maxTtl(noted?.longest) };
  }
  const longest = maxTtl(marker.longest);
  if (run !== undefined && marker.run !== run)
    return { reason: 'restarted: its next client will put it into quarantine', votesIn: longest };
  const left = marker.longest - (now - marker.since) / 1_000;
  return left <= 0 ? undefined : { reason: MAY_HAVE_FORGOTTEN, votesIn: Math.ceil(left) };
}
