import { Module } from '@nestjs/common';
import { RedlockModule } from 'nestjs-redlock';
import { OrdersController } from './orders.controller.js';

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
  ],
  controllers: [OrdersController],
})
export class AppModule {}
