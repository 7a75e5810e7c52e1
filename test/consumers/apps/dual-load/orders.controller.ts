import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { Ledger } from 'ledger';
import { RedlockService } from 'nestjs-redlock';

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly ledger: Ledger,
    @Inject('made by hand') private readonly made: Ledger,
    private readonly redlock: RedlockService,
  ) {}

  // The lock is taken by the dependency, on the pool that this application configures.
  @Post()
  async place(@Body() { id }: { id: number }): Promise<object> {
    await this.ledger.entry(`${id}`);
    return this.made.book(`${id}`, async (lock) => {
      const began = Date.now();
      await delay(100);
      return { began, ended: Date.now(), token: lock.fencingToken };
    });
  }

  // What the dependency throws is what this application's filter knows.
  @Post('taken')
  async takeTwice(@Body() { id }: { id: number }): Promise<void> {
    await this.ledger.book(`${id}`, async () => void (await this.redlock.acquire(`ledger:${id}`, { waitTimeout: 0 })));
  }
}
