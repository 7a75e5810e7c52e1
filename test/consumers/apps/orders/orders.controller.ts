import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, Post } from '@nestjs/common';
import { CurrentLock, RedlockService, WithLock, type Lock } from 'nestjs-redlock';

export interface Placed {
  began: number;
  ended: number;
  token?: number;
}

@Controller('orders')
export class OrdersController {
  constructor(private readonly redlock: RedlockService) {}

  @Post()
  @WithLock('order:<body.id>')
  async place(@Body() _body: { id: number }, @CurrentLock() lock?: Lock): Promise<Placed> {
    const began = Date.now();
    await delay(100);
    return { began, ended: Date.now(), token: lock?.fencingToken };
  }

  // Rejects: an answer of 409 shows that the filter knows the error's class.
  @Post('taken')
  async takeTwice(@Body() { id }: { id: number }): Promise<void> {
    await using held = await this.redlock.acquire(`taken:${id}`);
    await this.redlock.acquire(held.resources, { waitTimeout: 0 });
  }
}
