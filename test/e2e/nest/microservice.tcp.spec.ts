import { Transport } from '@nestjs/microservices';
import { describeMicroservice } from '../../support/nest/microservice.contract.js';
import { connectClient, TestMicroservice } from '../../support/nest/test-microservice.js';

const HOST = '127.0.0.1';

describeMicroservice({
  name: 'TCP',
  broadcasts: false,
  async start(metadata) {
    const options = { transport: Transport.TCP as const, options: { host: HOST, port: 0 } };
    const service = await TestMicroservice.start(metadata, { options });
    const client = await connectClient({ transport: Transport.TCP, options: { host: HOST, port: service.port } });
    return { service, client };
  },
});
