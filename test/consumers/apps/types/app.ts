import 'reflect-metadata';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import {
  CurrentLock,
  getRedlockToken,
  InjectRedlock,
  RedlockModule,
  RedlockService,
  ResourceLockedError,
  WithLock,
  type Lock,
  type LockEvent,
  type LockOptions,
  type RedlockModuleOptions,
  type RedlockOptionsFactory,
  type RedlockStatus,
  type WithLockOptions,
} from 'nestjs-redlock';
import { redlockMatchers, RedlockTesting, RedlockTestingModule } from 'nestjs-redlock/testing';

const options: WithLockOptions = { ttl: 5_000, onContended: 'reject' };
const patient: LockOptions = { waitTimeout: 10_000 };

@Controller('orders')
export class OrdersController {
  constructor(@InjectRedlock('billing') private readonly redlock: RedlockService) {}

  @Post()
  @WithLock(['order:<body.id>', 'customer:<body.customer>'], options)
  async place(@Body() body: { id: string }, @CurrentLock() lock?: Lock): Promise<number> {
    await using held = await this.redlock.acquire(body.id, patient);
    const status: RedlockStatus = await this.redlock.status();
    this.redlock.events$.subscribe((event: LockEvent) => void event.type);
    return (lock?.fencingToken ?? held.fencingToken) + Object.keys(status).length;
  }

  @WithLock((id: string) => `bill:${id}`, { name: 'billing' })
  async bill(id: string): Promise<string> {
    return id;
  }
}

@Injectable()
export class Settings implements RedlockOptionsFactory {
  createRedlockOptions(): RedlockModuleOptions {
    return { nodes: ['redis://localhost:7001', { host: 'localhost', port: 7002 }] };
  }
}

@Module({
  imports: [
    RedlockModule.forRoot({ isGlobal: true, nodes: ['redis://localhost:7001'] }),
    RedlockModule.forRootAsync({ name: 'billing', useClass: Settings }),
  ],
  controllers: [OrdersController],
})
export class AppModule {}

export const values = [getRedlockToken('billing'), ResourceLockedError, redlockMatchers];
export const testing = RedlockTestingModule.forRoot({ clock: 'manual' });
export const advance = (pools: RedlockTesting): Promise<void> => pools.pool('billing').until('acquired');

// Were the types not found, everything would be `any`, and nothing below an error.
// @ts-expect-error -- a key is no number
WithLock(1);
// @ts-expect-error -- there is no such option
RedlockModule.forRoot({ nodes: [], quorum: 1 });
// @ts-expect-error -- there is no such clock
RedlockTestingModule.forRoot({ clock: 'lunar' });
// @ts-expect-error -- a lock has no such member
export const wrong = (lock: Lock) => lock.quorum;
// @ts-expect-error -- what Nest calls is not for users
export const hook = (service: RedlockService): unknown => service.onModuleInit;
// @ts-expect-error -- nor is what handlers ask the service for
export const factory = (service: RedlockService): unknown => service.exceptionFactory;
export class Slip {
  // @ts-expect-error -- the argument has no such property
  @WithLock('user:<0.emial>')
  async save(_user: { readonly email: string }): Promise<void> {}

  // @ts-expect-error -- a locked method returns a promise or an Observable
  @WithLock('user:<body.email>')
  mayExport(): boolean {
    return true;
  }
}
