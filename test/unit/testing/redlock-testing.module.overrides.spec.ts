import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule } from '../../../lib/redlock.module.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

const nodes = ['redis://127.0.0.1:1'];

@Injectable()
class Payouts {
  @WithLock('pay:<0>')
  async pay(id: number): Promise<string> {
    return `paid ${id}`;
  }
}

let module: TestingModule | undefined;

afterEach(() => module?.close());

describe('RedlockTestingModule, beside what others do,', () => {
  it('refuses options of the application that are wrong, as the application would', async () => {
    const wrong = RedlockModule.forRootAsync({ useFactory: () => ({ nodes: ['mysql://localhost'] }) });
    const builder = Test.createTestingModule({ imports: [wrong, RedlockTestingModule.forRoot()] });
    await expect(builder.compile()).rejects.toThrow(/nodes\[0\] is malformed, it does not begin with redis/);
  });

  it('leaves an override of the service as it is', async () => {
    const app = RedlockModule.forRoot({ nodes });
    const builder = Test.createTestingModule({ imports: [app, RedlockTestingModule.forRoot()] });
    module = await builder.overrideProvider(RedlockService).useValue('mine').compile();
    expect(module.get(RedlockService)).toBe('mine');
  });

  it('can take the place of a module that is kept in a constant', async () => {
    const pool = RedlockModule.forRootAsync({
      useFactory: () => {
        throw new Error('there is no configuration in tests');
      },
    });
    @Module({ imports: [pool], providers: [Payouts] })
    class AppModule {}
    const builder = Test.createTestingModule({ imports: [AppModule] });
    module = await builder.overrideModule(pool).useModule(RedlockTestingModule.forRoot()).compile();
    await expect(module.get(Payouts).pay(5)).resolves.toBe('paid 5');
    expect(module.get(RedlockTesting).count('released', 'pay:5')).toBe(1);
  });
});
