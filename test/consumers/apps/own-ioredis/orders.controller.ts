import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, Inject, Post, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CurrentLock, RedlockService, WithLock, type Lock } from 'nestjs-redlock';

@Controller('orders')
export class OrdersController implements OnApplicationShutdown {
  constructor(
    private readonly redlock: RedlockService,
    @Inject(Redis) private readonly redis: Redis,
  ) {}

  // Reads and writes by the application's own client: without the lock both calls would read the same.
  @Post()
  @WithLock('order:<body.id>')
  async place(@Body() { id }: { id: number }, @CurrentLock() lock?: Lock): Promise<object> {
    const began = Date.now();
    const count = Number(await this.redis.get(`orders:${id}`)) + 1;
    await delay(100);
    await this.redis.set(`orders:${id}`, count);
    return { began, ended: Date.now(), token: lock?.fencingToken, count };
  }

  @Post('taken')
  async takeTwice(@Body() { id }: { id: number }): Promise<void> {
    await using held = await this.redlock.acquire(`taken:${id}`);
    await this.redlock.acquire(held.resources, { waitTimeout: 0 });
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
