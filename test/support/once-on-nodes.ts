import { SystemClock } from '../../lib/engine/system-clock.js';
import { type Encryption, Idempotency } from 'nestjs-redlock/idempotency';
import { OnceRunner } from '../../lib/idempotency/run-once.js';
import { NodesStore } from '../../lib/idempotency/stores/nodes-store.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { EventLog } from './nest/event-log.js';
import { realNodes } from './real-nodes.js';
import { TRUSTING, type Trust } from './trust.js';

/** One replica of an application that runs calls once, and keeps replies on the nodes of its locks. */
export interface ReplicaOnNodes {
  readonly idempotency: Idempotency;
  readonly service: RedlockService;
  readonly store: NodesStore;
  readonly log: EventLog;
}

export interface ReplicaSettings {
  readonly trust?: Trust;
  readonly encrypt?: Encryption;
  /** Ms. */
  readonly ttl?: number;
}

/** Replicas on real nodes. */
export class OnceOnNodes {
  readonly #open: RedlockService[] = [];

  async start(
    servers: readonly { readonly url: string }[],
    { trust = TRUSTING, encrypt, ttl = 10_000 }: ReplicaSettings = {},
  ): Promise<ReplicaOnNodes> {
    const clock = new SystemClock();
    const urls = servers.map(({ url }) => url);
    const nodes = realNodes(urls, clock, trust, 'lock:');
    const { maxTtl } = trust;
    const service = new RedlockService(nodes, { maxTtl, nodeTimeout: 1_000, defaults: { ttl } }, { clock });
    this.#open.push(service);
    const log = new EventLog(service.events$);
    await service.onModuleInit();
    const store = new NodesStore(service);
    return { service, store, log, idempotency: new Idempotency(() => new OnceRunner({ service, store, encrypt }), {}) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((service) => service.onApplicationShutdown()));
  }
}
