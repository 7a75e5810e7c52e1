import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Leader, RedlockModule } from 'nestjs-redlock';

@Injectable({ scope: Scope.REQUEST })
class Tenant {}

@Injectable({ scope: Scope.REQUEST })
class Scoped {
  @Leader('a')
  run(): void {
    // Being refused is all.
  }
}

@Injectable()
class ScopedByTenant {
  constructor(readonly tenant: Tenant) {}

  @Leader('a')
  run(): void {
    // Being refused is all.
  }
}
Reflect.defineMetadata('design:paramtypes', [Tenant], ScopedByTenant);

@Injectable({ scope: Scope.TRANSIENT })
class Transient {
  @Leader('a')
  run(): void {
    // Being refused is all.
  }
}

@Controller()
class Routes {
  @Leader('a')
  run(): void {
    // Being refused is all.
  }
}

@Injectable()
class One {
  @Leader('a')
  run(): void {
    // Being refused is all.
  }
}

@Injectable()
class Two {
  @Leader('a')
  work(): void {
    // Being refused is all.
  }
}

@Injectable()
class OtherPool {
  @Leader('a', { pool: 'billing' })
  run(): void {
    // Being accepted is all.
  }
}

@Injectable()
class UnknownPool {
  @Leader('a', { pool: 'unknown' })
  run(): void {
    // Being refused is all.
  }
}

@Module({ imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })] })
class Locks {}

@Module({ imports: [RedlockModule.forRoot({ enabled: false, name: 'billing', isGlobal: true })] })
class BillingLocks {}

describe('the start of an application with @Leader', () => {
  let module: TestingModule | undefined;
  const start = async (providers: Type[], controllers: Type[] = []): Promise<void> => {
    module = await Test.createTestingModule({ imports: [Locks, BillingLocks], providers, controllers }).compile();
    await module.init();
  };

  afterEach(async () => {
    await module?.close().catch(() => undefined);
    module = undefined;
  });

  it.each<[string, Type[], Type[], RegExp]>([
    ['a request-scoped provider', [Scoped], [], /@Leader on Scoped\.run: .*only a singleton can lead/],
    ['a provider that depends on one', [Tenant, ScopedByTenant], [], /@Leader on ScopedByTenant\.run: .*singleton/],
    ['a transient provider', [Transient], [], /@Leader on Transient\.run: .*only a singleton can lead/],
    ['a controller', [], [Routes], /@Leader on Routes\.run: a method of a controller .*move it to a provider/],
    ['two methods with one role', [One, Two], [], /@Leader on Two\.work: another method has the role "a" already/],
  ])('fails with REDLOCK_E08 for %s', async (_case, providers, controllers, message) => {
    const starting = start(providers, controllers);
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toThrow(/REDLOCK_E08/);
  });

  it('fails for a pool that there is not, in the words of Nest', async () => {
    await expect(start([UnknownPool])).rejects.toThrow(/@Leader needs RedlockModule.forRoot\({ name: 'unknown' }\)/);
  });

  it('accepts one role under two pools', async () => {
    await expect(start([One, OtherPool])).resolves.toBeUndefined();
  });
});

describe('the definition of a class with @Leader', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['without a name', () => method(Leader(undefined as never)), /@Leader on Work\.run: write @Leader\('\.\.\.'\)/],
    ['with an empty name', () => method(Leader('')), /@Leader on Work\.run: write @Leader\('\.\.\.'\)/],
    [
      'on a class',
      () => (Leader('a') as unknown as ClassDecorator)(Two),
      /@Leader on Two\.undefined: .*above a method/,
    ],
    ['on a property', () => Leader('a')(One.prototype, 'field', undefined), /@Leader on One\.field: .*above a method/],
    ['on a static method', () => Leader('a')(One, 'run', { value: () => undefined }), /@Leader on One\.run: /],
  ])('fails with REDLOCK_E08 %s', (_case, define, message) => {
    expect(define).toThrow(TypeError);
    expect(define).toThrow(message);
    expect(define).toThrow(/REDLOCK_E08/);
  });
});

/** Defines a class whose method has this decorator. */
function method(decorator: MethodDecorator | ReturnType<typeof Leader>): void {
  class Work {}
  decorator(Work.prototype, 'run', { value: () => undefined, writable: true });
}
