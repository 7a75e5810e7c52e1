import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BaseRpcContext, type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { closeMicroservices, type Mode, TestMicroservice } from '../../support/nest/test-microservice.js';
import { type RedisServer, startRedisServers, stopAll } from '../../support/redis-server.js';
import { BookingMessages } from './bookings.js';
import { Tally } from './orders.js';

/** A transport that awaits the handler of an event, and acknowledges the event once that has ended well, as the one of Kafka does. */
class Consumer extends Server implements CustomTransportStrategy {
  listen(started: () => void): void {
    started();
  }

  close(): void {
    // Nothing is open.
  }

  on(): void {
    // It has no state to tell of.
  }

  unwrap(): never {
    throw new Error('there is nothing inside');
  }

  /** Resolves with the acknowledgement. @throws what reaches the transport, which then delivers the event again */
  async deliver(pattern: string, data: object): Promise<'acknowledged'> {
    const handler = this.getHandlerByPattern(pattern)!;
    const stream = this.transformToObservable(await handler(data, new BaseRpcContext([])));
    await lastValueFrom(stream, { defaultValue: undefined });
    return 'acknowledged';
  }
}

const DELIVERIES = 5;

describe.each<Mode>(['alone', 'beside', 'inheriting'])('an event of consumers %s', (mode) => {
  const tally = new Tally();
  let servers: RedisServer[];
  let one: Consumer;
  let two: Consumer;
  let id: string;

  const start = async (): Promise<Consumer> => {
    const strategy = new Consumer();
    const metadata = {
      imports: [poolOn(servers), RedlockIdempotencyModule.forRoot({ isGlobal: true, waitTimeout: 1_000 })],
      controllers: [BookingMessages],
      providers: [{ provide: Tally, useValue: tally }],
    };
    await TestMicroservice.start(metadata, { options: { strategy }, mode });
    return strategy;
  };
  const deliver = (consumer: Consumer): Promise<'acknowledged'> => consumer.deliver('booked', { id });
  /** Delivers until it is acknowledged, as a broker does. */
  const delivered = async (consumer: Consumer): Promise<string> => {
    let acknowledgement: string | undefined;
    await eventually(async () => void (acknowledgement = await deliver(consumer)), 30_000);
    return acknowledgement!;
  };

  beforeAll(async () => {
    servers = await startRedisServers(3);
    [one, two] = await Promise.all([start(), start()]);
  });

  beforeEach(() => {
    tally.reset();
    id = randomUUID();
  });

  afterAll(async () => {
    await closeMicroservices();
    await stopAll();
  });

  const times = (work: (consumer: Consumer) => Promise<string>): Promise<string>[] =>
    Array.from({ length: DELIVERIES }, (_, index) => work(index % 2 === 0 ? one : two));

  it('is handled once, and acknowledged each time that it is delivered', async () => {
    expect(await Promise.all(times(delivered))).toEqual(Array(DELIVERIES).fill('acknowledged'));
    for (const consumer of [one, two, one, two, one]) expect(await deliver(consumer)).toBe('acknowledged');
    expect(tally.runs).toBe(1);
  });

  it('goes back to the transport while no node answers, and is handled once when the nodes are back', async () => {
    await Promise.all(servers.map((server) => server.kill()));
    const results = await Promise.allSettled(times(deliver));
    expect(results.map(({ status }) => status)).toEqual(Array(DELIVERIES).fill('rejected'));
    expect(tally.runs).toBe(0);
    await Promise.all(servers.map((server) => server.restart()));
    expect(await Promise.all(times(delivered))).toEqual(Array(DELIVERIES).fill('acknowledged'));
    expect(tally.runs).toBe(1);
  });
});
