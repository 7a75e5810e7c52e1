import { Transport } from '@nestjs/microservices';
import { describeMicroservice } from '../../support/nest/microservice.contract.js';
import { connectClient, TestMicroservice } from '../../support/nest/test-microservice.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';

/** What carries the messages; the locks are elsewhere. */
const carriers = new Map<string, Promise<RedisServer>>();

function carrierOf(channel: string): Promise<RedisServer> {
  const carrier = carriers.get(channel) ?? startRedisServer();
  carriers.set(channel, carrier);
  return carrier;
}

describeMicroservice({
  name: 'Redis',
  broadcasts: true,
  async start(metadata, channel) {
    const { host, port } = await carrierOf(channel);
    const service = await TestMicroservice.start(metadata, {
      options: { transport: Transport.REDIS, options: { host, port } },
    });
    return { service, client: await connectClient({ transport: Transport.REDIS, options: { host, port } }) };
  },
});
