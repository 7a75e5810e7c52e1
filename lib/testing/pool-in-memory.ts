import type { Clock } from '../core/clock.js';
import { MAX_TTL } from '../core/options.js';
import { quorumOf } from '../core/quorum.js';
import { EventRecord } from './event-record.js';
import { FaultyNode } from './faulty-node.js';
import type { PoolOptions } from './redlock-testing.options.js';
import { WatchedService } from './watched-service.js';

export interface PoolTerms {
  /** What its nodes are called by. */
  readonly name: string | undefined;
  readonly size: number;
  readonly clock: Clock;
  /** Ms. */
  readonly maxTtl?: number | undefined;
  readonly restartQuarantine?: boolean | undefined;
}

/** Nodes in memory, and the services that lock on them. */
export class PoolInMemory {
  readonly nodes: readonly FaultyNode[];
  readonly services: WatchedService[] = [];
  readonly record = new EventRecord();
  readonly #clock: Clock;

  constructor({ name, size, clock, maxTtl = MAX_TTL, restartQuarantine = false }: PoolTerms) {
    this.#clock = clock;
    const prefix = name === undefined ? 'node-' : `${name}/node-`;
    this.nodes = Array.from(
      { length: size },
      (_, index) => new FaultyNode(`${prefix}${index + 1}`, clock, { maxTtl, restartQuarantine }),
    );
  }

  /** A further client of these nodes. */
  serve(options: PoolOptions): WatchedService {
    const service = new WatchedService(this.nodes, options, { clock: this.#clock });
    service.events$.subscribe((event) => this.record.add(event));
    this.services.push(service);
    return service;
  }

  /** Whose value a quorum of nodes has. */
  ownerOf(resource: string): string | undefined {
    const values = this.nodes.map((node) => node.valueOf(resource));
    const quorum = quorumOf(values.length);
    return values.find((value) => value !== undefined && values.filter((other) => other === value).length >= quorum);
  }

  /** What a quorum of nodes has locked for somebody. */
  get locked(): string[] {
    const resources = new Set(this.nodes.flatMap((node) => node.resources));
    return [...resources].filter((resource) => this.ownerOf(resource) !== undefined).sort();
  }
}
