import { afterEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Injectable, Post, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, WithLock, type LockKey, type WithLockOptions } from 'nestjs-redlock';

/** A service with one method for each of these. */
function service(...methods: [key: LockKey, options?: WithLockOptions][]): Type {
  @Injectable()
  class Exports {}
  for (const [index, [key, options]] of methods.entries()) {
    const descriptor = { value: async (_id: string) => undefined, writable: true, configurable: true };
    Object.defineProperty(Exports.prototype, `export${index}`, descriptor);
    const decorated = WithLock(key, options)(Exports.prototype, `export${index}`, descriptor) ?? descriptor;
    Object.defineProperty(Exports.prototype, `export${index}`, decorated);
  }
  return Exports;
}

describe('the definition of a method with a limit', () => {
  it.each<[string, LockKey, WithLockOptions, ErrorConstructor, RegExp]>([
    ['limit 65', 'a:<0>', { limit: 65 }, RangeError, /limit must be a whole number from 1 to 64; got 65/],
    ['limit 0', 'a:<0>', { limit: 0 }, RangeError, /limit must be a whole number from 1 to 64; got 0/],
    ['limit 1.5', 'a:<0>', { limit: 1.5 }, RangeError, /limit must be a whole number from 1 to 64; got 1\.5/],
    ["limit '3'", 'a:<0>', { limit: '3' as never }, TypeError, /limit must be a whole number from 1 to 64; got '3'/],
    ['take: 2', 'a:<0>', { limit: 3, take: 2 as never }, RangeError, /take must be 1 or 'all'; got 2/],
    ['take without limit', 'a:<0>', { take: 'all' }, TypeError, /take needs limit, the number of slots/],
    ['several keys', ['a:<0>', 'b:<0>'], { limit: 3 }, TypeError, /limit is for one key; got 2/],
    [
      'join',
      'a:<0>',
      { limit: 3, onContended: 'join' },
      TypeError,
      /'join' shares one run, so it does not go together with limit/,
    ],
  ])('fails by %s, naming the method', (_case, key, options, Kind, message) => {
    const definition = (): unknown => service([key, options]);
    expect(definition).toThrow(Kind);
    expect(definition).toThrow(message);
    expect(definition).toThrow(/^@WithLock on Exports\.export0: /);
  });

  it.each([1, 64])('takes limit %i, and take 1', (limit) => {
    expect(() => service(['a:<0>', { limit }], ['b:<0>', { limit, take: 1 }])).not.toThrow();
  });
});

describe('the start of an application with limits', () => {
  let module: TestingModule | undefined;
  const start = async (providers: Type[], controllers: Type[] = []): Promise<TestingModule> => {
    const imports = [RedlockModule.forRoot({ nodes: ['redis://127.0.0.1:1'] })];
    return (module = await Test.createTestingModule({ imports, providers, controllers }).compile());
  };

  afterEach(async () => {
    await module?.close();
    module = undefined;
  });

  it.each<[string, WithLockOptions | undefined, WithLockOptions | undefined, RegExp]>([
    ['a limit and none', { limit: 3 }, undefined, /limit: undefined, and .* limit: 3,/],
    ['none and a limit', undefined, { limit: 3 }, /limit: 3, and .* limit: undefined,/],
    ['two limits', { limit: 3 }, { limit: 5, take: 'all' }, /limit: 5, and .* limit: 3,/],
  ])('fails by one key template with %s', async (_case, one, two, message) => {
    const starting = start([service(['a:<0>', one], ['a:<0>', two])]);
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toMatchObject({
      name: 'TypeError',
      code: 'REDLOCK_E15',
      message: expect.stringMatching(/Exports\.export1 .*Exports\.export0 .*'a:<0>'.*do not exclude each other/),
    });
  });

  it('fails by methods of two classes, too, one of which is a controller', async () => {
    @Controller()
    class Uploads {
      @Post()
      @WithLock('a:<0>', { limit: 2 })
      async upload(@Body('id') _id: string): Promise<void> {}
    }
    await expect(start([service(['a:<0>'])], [Uploads])).rejects.toMatchObject({ code: 'REDLOCK_E15' });
  });

  it('begins if methods of one template have one limit, and others have other templates', async () => {
    const methods = service(['a:<0>', { limit: 3 }], ['a:<0>', { limit: 3, take: 'all' }], ['b:<0>', { limit: 5 }]);
    await expect(start([methods, service(['c:<0>'])])).resolves.toBeDefined();
  });

  it('does not compare methods that lock on different pools', async () => {
    const other = RedlockModule.forRoot({ name: 'other', nodes: ['redis://127.0.0.1:1'] });
    const providers = [service(['a:<0>', { limit: 3 }], ['a:<0>', { name: 'other' }])];
    const imports = [RedlockModule.forRoot({ nodes: ['redis://127.0.0.1:1'] }), other];
    module = await Test.createTestingModule({ imports, providers }).compile();
    expect(module).toBeDefined();
  });
});
