import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';

/** Of which the compiler knows nothing. */
const SECOND: string = 'transfer:<1.id>';

@Injectable()
class OneArgument {
  @WithLock(SECOND)
  async begin(_from: { id: string }): Promise<void> {}
}

@Injectable()
class NoArgument {
  @WithLock(SECOND)
  async begin(): Promise<void> {}
}

@Injectable()
class WithDefault {
  @WithLock('transfer:<1>')
  async begin(_from: string, _to = 'till'): Promise<void> {}
}

@Injectable()
class WithRest {
  @WithLock('transfer:<1>')
  async begin(..._accounts: string[]): Promise<void> {}
}

/** Puts a function without a name in the place of a method, as many decorators do; the function takes as many arguments. */
function replaced(_target: object, _name: string, descriptor: PropertyDescriptor): void {
  const method = descriptor.value as (from: unknown) => unknown;
  descriptor.value = function (this: unknown, from: unknown): unknown {
    return method.call(this, from);
  };
}

@Injectable()
class Replaced {
  @WithLock(SECOND)
  @replaced
  async begin(_from: { id: string }): Promise<void> {}
}

async function start(service: new () => object): Promise<void> {
  const imports = [RedlockTestingModule.forRoot({ isGlobal: true })];
  const module = await Test.createTestingModule({ imports, providers: [service] }).compile();
  await module.close();
}

describe('an argument that a key reads', () => {
  it.each([
    ['OneArgument', '<0> is its only one', OneArgument],
    ['Replaced', '<0> is its only one', Replaced],
    ['NoArgument', 'it has none', NoArgument],
  ])('stops the start where the method does not have it: %s', async (name, there, service) => {
    await expect(start(service)).rejects.toThrow(
      `@WithLock on ${name}.begin: <1> reads an argument that this method does not have: ${there}`,
    );
  });

  it.each([
    ['a default', WithDefault],
    ['the rest of them', WithRest],
  ])('is there where it is %s', async (_case, service) => {
    await expect(start(service)).resolves.toBeUndefined();
  });
});
