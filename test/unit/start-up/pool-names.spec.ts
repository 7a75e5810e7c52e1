import { afterEach, describe, expect, it } from '@jest/globals';
import { Module, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule } from '../../../lib/redlock.module.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { getRedlockToken } from '../../../lib/redlock.tokens.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';

const [HERE, THERE] = [['redis://10.0.0.1'], ['redis://10.0.0.2']];
type Options = { nodes: string[]; maxTtl?: number; name?: string; isGlobal?: boolean; enabled?: boolean };
const REMEDY =
  /Register it once, in the root module with isGlobal: true, or have the modules import one.*give each of them a name \[REDLOCK_E05\]$/;

describe.each<[string, (options: Options) => DynamicModule]>([
  ['forRoot', (options) => RedlockModule.forRoot(options)],
  [
    'forRootAsync',
    ({ name, isGlobal, ...own }) => RedlockModule.forRootAsync({ name, isGlobal, useFactory: async () => own }),
  ],
])('pools of one application, by %s,', (_name, register) => {
  let built: TestingModule[] = [];
  const build = async (...imports: NonNullable<ModuleMetadata['imports']>): Promise<TestingModule> => {
    const module = await Test.createTestingModule({ imports }).compile();
    built.push(module);
    return module;
  };
  const users = (pool: DynamicModule): Type => {
    @Module({ imports: [pool] })
    class UsersModule {}
    return UsersModule;
  };
  const orders = (pool: DynamicModule): Type => {
    @Module({ imports: [pool] })
    class OrdersModule {}
    return OrdersModule;
  };

  afterEach(async () => {
    await Promise.all(built.map((module) => module.close()));
    built = [];
  });

  it.each<[string, Options, Options]>([
    ['of different nodes', { nodes: HERE }, { nodes: THERE }],
    ['of different options', { nodes: HERE }, { nodes: HERE, maxTtl: 90_000 }],
    // Each would have a memory of its own.
    ['that are not enabled', { nodes: [], enabled: false }, { nodes: [], enabled: false }],
    ['of the same options', { nodes: HERE }, { nodes: HERE }],
  ])('without a name are refused, two %s', async (_case, one, other) => {
    const starting = build(users(register(one)), orders(register(other)));
    await expect(starting).rejects.toThrow(TypeError);
    await expect(starting).rejects.toThrow(
      'RedlockModule: the pool without a name is registered 2 times (in UsersModule, OrdersModule): each would be a pool of its own',
    );
    await expect(starting).rejects.toThrow(REMEDY);
  });

  it('with one name are refused, and other names are not', async () => {
    const starting = build(
      users(register({ nodes: HERE, name: 'billing' })),
      orders(register({ nodes: THERE, name: 'billing' })),
    );
    await expect(starting).rejects.toThrow(/^RedlockModule: pool "billing" is registered 2 times/);
    const module = await build(
      users(register({ nodes: HERE })),
      orders(register({ nodes: THERE, name: 'billing', isGlobal: true })),
    );
    expect(module.get(getRedlockToken(), { strict: false })).not.toBe(
      module.get(getRedlockToken('billing'), { strict: false }),
    );
  });

  it('are refused where one of them is global, or both', async () => {
    const starting = build(register({ nodes: HERE, isGlobal: true }), orders(register({ nodes: THERE })));
    await expect(starting).rejects.toThrow(/registered 2 times \(in OrdersModule\)/);
    const both = build(register({ nodes: HERE, isGlobal: true }), orders(register({ nodes: THERE, isGlobal: true })));
    await expect(both).rejects.toThrow(/registered 2 times: each/);
  });

  it('are one where several modules import the same one', async () => {
    const pool = register({ nodes: HERE });
    const module = await build(users(pool), orders(pool));
    expect(module.get(RedlockService, { strict: false })).toBeInstanceOf(RedlockService);
  });

  it('are those of that application only', async () => {
    await build(register({ nodes: HERE }));
    await expect(build(register({ nodes: THERE }))).resolves.toBeDefined();
  });

  it('are refused in a test, too, where they would be one in memory', async () => {
    const starting = build(
      users(register({ nodes: HERE })),
      orders(register({ nodes: THERE })),
      RedlockTestingModule.forRoot(),
    );
    await expect(starting).rejects.toThrow(/registered 2 times/);
  });
});
