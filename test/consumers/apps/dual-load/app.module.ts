import { Module } from '@nestjs/common';
import { Ledger, LedgersRedlockService } from 'ledger';
import { RedlockModule, RedlockService } from 'nestjs-redlock';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { OrdersController } from './orders.controller.js';
import { PaymentsController } from './payments.controller.js';

if (LedgersRedlockService !== RedlockService) throw new Error('import and require lead to two classes RedlockService');

@Module({
  imports: [
    RedlockModule.forRoot({
      isGlobal: true,
      nodes: (process.env.REDLOCK_NODES ?? '').split(','),
      keyPrefix: process.env.KEY_PREFIX,
      restartQuarantine: false,
      // No answer is late on a machine that does ten other things.
      nodeTimeout: 2_000,
      defaults: { waitTimeout: 30_000 },
    }),
    RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<headers.x-user>' }),
  ],
  controllers: [OrdersController, PaymentsController],
  providers: [
    Ledger,
    // To the compiler, too, the service of this ES module is the one that a CommonJS package asks for.
    { provide: 'made by hand', inject: [RedlockService], useFactory: (redlock: RedlockService) => new Ledger(redlock) },
  ],
})
export class AppModule {}
