import { Idempotency, type IdempotencyOptions, memoryStore, type ReplyStore } from 'nestjs-redlock/idempotency';
import { OnceRunner } from '../../lib/idempotency/run-once.js';
import { NodesStore } from '../../lib/idempotency/stores/nodes-store.js';
import type { LockEvent } from '../../lib/engine/events.js';
import { SystemClock } from '../../lib/engine/system-clock.js';
import { MemoryData, MemoryNode } from '../../lib/memory/memory-node.js';
import { RedlockService } from '../../lib/redlock.service.js';

const MAX_TTL = 30_000;

/** One replica of an application that runs calls once. */
export interface OnceReplica {
  readonly idempotency: Idempotency;
  readonly service: RedlockService;
  readonly events: LockEvent[];
}

/** Replicas that share their nodes, in memory, and their store; on the real clock. */
export class OnceReplicas {
  readonly #clock = new SystemClock();
  readonly #data: readonly MemoryData[];
  readonly #open: RedlockService[] = [];
  readonly #memory = memoryStore();

  /** Replies lie on the nodes, or in one store in memory. */
  constructor(private readonly kind: 'nodes' | 'memory' = 'nodes') {
    const world = { now: () => this.#clock.now().monotonic, date: () => this.#clock.now().wall * 1_000 };
    this.#data = [1, 2, 3].map(() => new MemoryData(world, MAX_TTL));
  }

  async start(
    options: IdempotencyOptions = {},
    spoil = (store: ReplyStore): ReplyStore => store,
  ): Promise<OnceReplica> {
    const channel = `replica ${this.#open.length + 1}`;
    const nodes = this.#data.map(
      (data, index) => new MemoryNode(`node-${index + 1}`, this.#clock, { maxTtl: MAX_TTL, channel, data }),
    );
    const service = new RedlockService(nodes, { maxTtl: MAX_TTL });
    const events: LockEvent[] = [];
    service.events$.subscribe((event) => events.push(event));
    await service.onModuleInit();
    this.#open.push(service);
    const store = spoil(this.kind === 'nodes' ? new NodesStore(service) : this.#memory);
    return { service, events, idempotency: new Idempotency(() => new OnceRunner({ service, store }), options) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((service) => service.onApplicationShutdown()));
  }
}
