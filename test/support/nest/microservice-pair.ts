import type { ModuleMetadata } from '@nestjs/common';
import type { ClientProxy } from '@nestjs/microservices';
import { startRedisServers, stopAll, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import type { EventLog } from './event-log.js';
import { Feed, MessageHandlers, Payments } from './message-handlers.js';
import { CLOSED_PORTS, poolOn } from './nodes.js';
import { ask, closeMicroservices, TestMicroservice, type RpcReply } from './test-microservice.js';
import { Watched } from './watched.js';

/** One replica of a service, and a client that talks to it; with some transports a client talks to all replicas at once. */
export interface Station {
  readonly service: TestMicroservice;
  readonly client: ClientProxy;
}

export interface Transport {
  readonly name: string;
  /** True where every message goes to every replica. */
  readonly broadcasts: boolean;
  /** Starts a replica; those with the same channel are one service. */
  start(metadata: ModuleMetadata, channel: string): Promise<Station>;
}

/** Two replicas of a microservice, and one that reaches no node. */
export class MicroservicePair {
  readonly door = new Door();
  readonly feed = new Feed();
  servers: RedisServer[] = [];
  logs: EventLog[] = [];
  one!: Station;
  two!: Station;
  cut!: Station;

  constructor(readonly transport: Transport) {}

  async start(): Promise<void> {
    this.servers = await startRedisServers(3);
    const pool = poolOn(this.servers);
    [this.one, this.two] = await Promise.all([this.#replica(pool, 'a'), this.#replica(pool, 'a')]);
    this.cut = await this.#replica(poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } }), 'b');
  }

  reset(): void {
    this.door.reset();
    this.feed.watched = new Watched();
    this.logs = [this.one, this.two].map(({ service }) => service.follow());
    TestMicroservice.logged.length = 0;
  }

  async stop(): Promise<void> {
    this.door.open();
    await closeMicroservices();
    await stopAll();
  }

  /** The same message to both replicas at once. */
  askBoth(pattern: string, data: object): Promise<RpcReply[]> {
    return Promise.all(this.#stations.map(({ client }) => ask(client, pattern, data)));
  }

  emitBoth(pattern: string, data: object): void {
    for (const { client } of this.#stations) client.emit(pattern, data);
  }

  /** Resolves once one of them has to wait. */
  contended(id: string): Promise<void> {
    return Promise.race(this.logs.map((log) => log.until('contended', `order:${id}`)));
  }

  /** Resolves when every replica that got the message has found the resource held. */
  async allContended(id: string): Promise<void> {
    if (!this.transport.broadcasts) return this.contended(id);
    await Promise.all(this.logs.map((log) => log.until('contended', `order:${id}`)));
  }

  logged(level: string): unknown[] {
    return TestMicroservice.logged.filter((line) => line.level === level);
  }

  get #stations(): Station[] {
    return this.transport.broadcasts ? [this.one] : [this.one, this.two];
  }

  #replica(pool: NonNullable<ModuleMetadata['imports']>[number], channel: string): Promise<Station> {
    const metadata: ModuleMetadata = {
      imports: [pool],
      controllers: [MessageHandlers],
      providers: [Payments, { provide: Door, useValue: this.door }, { provide: Feed, useValue: this.feed }],
    };
    return this.transport.start(metadata, channel);
  }
}
