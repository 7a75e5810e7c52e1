import { Inject, Injectable, type DynamicModule } from '@nestjs/common';
import type { RedisServer } from '../redis-server.js';
import { holderOn } from './nodes.js';

const POOLS = 'test:pools';

type Pools = readonly (readonly RedisServer[])[];

/** Tells code under a lock in which pools that lock is held. */
@Injectable()
export class Owned {
  constructor(@Inject(POOLS) private readonly pools: Pools) {}

  async by(resource: string): Promise<boolean[]> {
    const holders = await Promise.all(this.pools.map((servers) => holderOn(servers, resource)));
    return holders.map((holder) => holder !== null);
  }
}

class OwnedModule {}

export function provideOwned(...pools: Pools): DynamicModule {
  return {
    module: OwnedModule,
    global: true,
    providers: [Owned, { provide: POOLS, useValue: pools }],
    exports: [Owned],
  };
}
