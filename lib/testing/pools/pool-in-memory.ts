import type { Clock } from '../../engine/clock.js';
import type { Lock } from '../../engine/lock.js';
import { MAX_TTL } from '../../engine/options.js';
import type { Peeked } from '../../engine/lock-node.js';
import { quorumOf } from '../../engine/pool.js';
import { LEADER } from '../../engine/resources.js';
import type { RecordInfo } from '../../idempotency/reply-store.js';
import { Changes, EventRecord } from './event-record.js';
import { FaultyNode } from '../nodes/faulty-node.js';
import type { PoolOptions } from '../redlock-testing.options.js';
import { WatchedService } from '../watched-service.js';

export interface PoolInMemorySettings {
  /** The name of the pool, with which the names of its nodes begin. */
  readonly name: string | undefined;
  readonly size: number;
  readonly clock: Clock;
  /** Ms that a lease may last at most. */
  readonly maxTtl?: number | undefined;
  readonly restartQuarantine?: boolean | undefined;
}

/** Nodes in memory, and the services that lock on them. */
export class PoolInMemory {
  readonly nodes: readonly FaultyNode[];
  readonly services: WatchedService[] = [];
  readonly record = new EventRecord();
  /** Notified of every event, and whenever a caller begins to wait or no longer waits. */
  readonly changes = new Changes();
  readonly #clock: Clock;
  readonly #name: string | undefined;

  constructor({ name, size, clock, maxTtl = MAX_TTL, restartQuarantine = false }: PoolInMemorySettings) {
    this.#clock = clock;
    this.#name = name;
    const prefix = name === undefined ? 'node-' : `${name}/node-`;
    this.nodes = Array.from(
      { length: size },
      (_, index) => new FaultyNode(`${prefix}${index + 1}`, clock, { maxTtl, restartQuarantine }),
    );
  }

  /** Makes a further service on these nodes. */
  serve(options: PoolOptions): WatchedService {
    const { notify } = this.changes;
    const channel = `service ${this.services.length + 1}`;
    const nodes = this.nodes.map((node) => node.connect(channel));
    const service = new WatchedService(nodes, options, {
      clock: this.#clock,
      onWaiting: notify,
      name: this.#name,
    });
    service.events$.subscribe((event) => {
      this.record.add(event);
      notify();
    });
    this.services.push(service);
    return service;
  }

  /** Returns how many callers have asked for a resource and do not have it yet. */
  waiting(resource: string): number {
    return this.services.reduce((count, service) => count + service.waiting(resource), 0);
  }

  /** Returns the value that a quorum of nodes has for a resource. */
  ownerOf(resource: string): string | undefined {
    const values = this.nodes.map((node) => node.read(resource));
    const quorum = quorumOf(values.length);
    return values.find((value) => value !== undefined && values.filter((other) => other === value).length >= quorum);
  }

  /** Returns the valid lock of the application on a resource. */
  lockOn(resource: string): Lock | undefined {
    return this.services.map((service) => service.lockOn(resource)).find(Boolean);
  }

  /** The roles for which the application is a candidate. */
  get roles(): string[] {
    return [...new Set(this.services.flatMap((service) => service.roles))].sort();
  }

  /** What the nodes have of the replies of calls that run once. */
  get replies(): RecordInfo[] {
    const keys = new Set(this.nodes.flatMap((node) => node.replyKeys));
    const infos = [...keys].sort().flatMap((key) => {
      const here = this.nodes.flatMap((node) => node.readReply(key) ?? []);
      return here.length > 0 ? [infoOf(key, here)] : [];
    });
    // Leaders announce there who they are.
    return infos.filter(({ key, state }) => state === 'kept' || !key.startsWith(LEADER));
  }

  /** The resources that a quorum of nodes has locked for one holder. */
  get locked(): string[] {
    const resources = new Set(this.nodes.flatMap((node) => node.resources));
    return [...resources].filter((resource) => this.ownerOf(resource) !== undefined).sort();
  }
}

/** A reply counts more than any attempt that has kept nothing. */
function infoOf(key: string, here: readonly Peeked[]): RecordInfo {
  const kept = here.filter(({ found }) => found !== undefined);
  const tokenOf = ({ found, running }: Peeked): number => (found ?? running)!.token;
  const { found, age, remaining } = (kept.length > 0 ? kept : [...here]).sort((a, b) => tokenOf(b) - tokenOf(a))[0]!;
  const attempts = Math.max(...here.map((one) => one.attempts));
  const size = found === undefined ? 0 : Buffer.byteLength(found.record);
  return { key, state: found === undefined ? 'running' : 'kept', attempts, age, expiresIn: remaining, size };
}
