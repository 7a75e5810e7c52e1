import { Module } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { OrdersController } from './orders.controller.js';
import { PaymentsController } from './payments.controller.js';

// Options of the application's own ioredis, which is of another major version than the package's.
const nodes = (process.env.REDLOCK_NODES ?? '').split(',').map((node): RedisOptions => {
  const { hostname, port } = new URL(node);
  return { host: hostname, port: Number(port) };
});

@Module({
  imports: [
    RedlockModule.forRoot({
      isGlobal: true,
      nodes,
      keyPrefix: process.env.KEY_PREFIX,
      restartQuarantine: false,
      nodeTimeout: 2_000,
      defaults: { waitTimeout: 30_000 },
    }),
    RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<headers.x-user>' }),
  ],
  controllers: [OrdersController, PaymentsController],
  providers: [{ provide: Redis, useFactory: () => new Redis({ ...nodes[0], keyPrefix: process.env.KEY_PREFIX }) }],
})
export class AppModule {}
