import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { CurrentCall, Idempotent, type OnceCall } from 'nestjs-redlock/idempotency';

export interface Paid {
  receipt: string;
  attempt?: number;
}

@Controller('payments')
export class PaymentsController {
  #runs = 0;

  @Post()
  // No machine stands still for so long that the lock is lost.
  @Idempotent({ ttl: 30_000 })
  async pay(@Body() _body: { amount: number }, @CurrentCall() call?: OnceCall): Promise<Paid> {
    this.#runs += 1;
    await delay(100);
    return { receipt: randomUUID(), attempt: call?.attempt };
  }

  /** How often this replica has run. */
  @Get('runs')
  runs(): number {
    return this.#runs;
  }
}
