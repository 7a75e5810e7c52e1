import { Module } from '@nestjs/common';
import { RedlockModule } from 'nestjs-redlock';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { OrdersController } from './orders.controller.js';
import { PaymentsController } from './payments.controller.js';

@Module({
  imports: [
    RedlockModule.forRootAsync({
      isGlobal: true,
      useFactory: () => ({
        nodes: (process.env.REDLOCK_NODES ?? '').split(','),
        keyPrefix: process.env.KEY_PREFIX,
        restartQuarantine: false,
        // No answer is late on a machine that does ten other things.
        nodeTimeout: 2_000,
        defaults: { waitTimeout: 30_000 },
      }),
    }),
    RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<headers.x-user>' }),
  ],
  controllers: [OrdersController, PaymentsController],
})
export class AppModule {}
