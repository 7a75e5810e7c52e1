import { describe, expect, it } from '@jest/globals';
import { Injectable, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockModule } from '../../lib/redlock.module.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { WithLock } from '../../lib/with-lock/with-lock.decorator.js';

const A = 'redis://10.0.0.1:6379';

const WRONG: [string, object, RegExp][] = [
  ['an unknown option', { nodes: [A], quorum: 1 }, /no option "quorum"/],
  ['no nodes', {}, /nodes must be/],
  ['no nodes where it is enabled', { enabled: true }, /nodes must be .*split/],
  ['an enabled of no kind', { nodes: [A], enabled: 'no' }, /enabled must be true or false.*no/],
  ['a wrong option where it is not enabled', { enabled: false, nodeTimeout: 0 }, /nodeTimeout.*got 0/],
  ['the same node in two ways of writing', { nodes: [A, { host: '10.0.0.1' }] }, /nodes.*twice/],
  [
    'several wrong nodes, all in one error',
    { nodes: [A, { host: 'x', commandTimeout: 5, enableOfflineQueue: 'x' }, { host: 'y', keyPrefix: 'z' }] },
    /^nodes\[1\]: remove commandTimeout \(set nodeTimeout of the module\), enableOfflineQueue; .*\nnodes\[2\]: remove keyPrefix \(/,
  ],
  [
    'a default ttl that no lock could have',
    { nodes: [A], defaults: { ttl: 5 } },
    /^RedlockModule: defaults: ttl must be more than 8 ms.*got 5 \[REDLOCK_E03\]$/,
  ],
  [
    'a default ttl above maxTtl',
    { nodes: [A], defaults: { ttl: 60_000 } },
    /^RedlockModule: defaults: ttl must be at most maxTtl, 30000 ms.*got 60000 \[REDLOCK_E03\]$/,
  ],
  [
    'a default minHold above maxTtl',
    { nodes: [A], maxTtl: 5_000, defaults: { minHold: 6_000 } },
    /^RedlockModule: defaults: minHold must be at most maxTtl, 5000 ms.*got 6000 \[REDLOCK_E03\]$/,
  ],
  ['a name that is empty', { nodes: [A], name: '' }, /name/],
  [
    'an isGlobal in words',
    { nodes: [A], isGlobal: 'true' },
    /^RedlockModule: isGlobal must be true or false; got 'true' \[REDLOCK_E03\]$/,
  ],
];

describe('RedlockModule.forRoot', () => {
  it.each(WRONG)('refuses %s at once', (_case, options, message) => {
    expect(() => RedlockModule.forRoot(options as RedlockModuleOptions)).toThrow(message);
  });

  it.each([undefined, null])('refuses options that are %s', (options) => {
    expect(() => RedlockModule.forRoot(options as unknown as RedlockModuleOptions)).toThrow(TypeError);
  });

  it('shows no password', () => {
    const node = 'redis://admin:secret@10.0.0.1:6379/x';
    expect(() => RedlockModule.forRoot({ nodes: [node] })).toThrow(/nodes\[0\]/);
    expect(() => RedlockModule.forRoot({ nodes: [node] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});

describe('RedlockModule.forRootAsync', () => {
  const build = (useFactory: () => unknown): Promise<unknown> =>
    Test.createTestingModule({
      imports: [RedlockModule.forRootAsync({ useFactory: useFactory as () => RedlockModuleOptions })],
    }).compile();

  it.each(WRONG.filter(([, options]) => !('name' in options || 'isGlobal' in options)))(
    'refuses %s at bootstrap',
    async (_case, options, message) => {
      await expect(build(async () => options)).rejects.toThrow(message);
    },
  );

  it.each([undefined, null, []])('refuses a factory that makes %j', async (options) => {
    await expect(build(() => options)).rejects.toThrow(TypeError);
  });

  it('refuses an empty name and an isGlobal in words at once', () => {
    const useFactory = (): RedlockModuleOptions => ({ nodes: [A] });
    expect(() => RedlockModule.forRootAsync({ name: '', useFactory })).toThrow(/name/);
    const isGlobal = 'true' as unknown as boolean;
    expect(() => RedlockModule.forRootAsync({ isGlobal, useFactory })).toThrow(/isGlobal must be true or false/);
  });

  it.each([{}, { isGlobal: true, name: 'billing' }, { nodes: [A] }, { useFactory: undefined }, undefined, null])(
    'says what is missing where it is told of no factory: %j',
    (options) => {
      const register = (): unknown => RedlockModule.forRootAsync(options as unknown as { useFactory: () => never });
      expect(register).toThrow(TypeError);
      expect(register).toThrow(/^RedlockModule\.forRootAsync needs one of useFactory.*, useClass and useExisting/);
    },
  );

  it.each([
    [{ useFactory: { nodes: [A] } }, /forRootAsync: useFactory must be a function; got/],
    [{ useClass: {} }, /forRootAsync: useClass must be a class; got/],
  ])('refuses what is no factory: %j', (options, message) => {
    const register = (): unknown => RedlockModule.forRootAsync(options as unknown as { useFactory: () => never });
    expect(register).toThrow(message);
  });

  it('fails with the error of its factory', async () => {
    await expect(build(() => Promise.reject(new Error('no settings')))).rejects.toThrow('no settings');
  });
});

describe('an application without RedlockModule', () => {
  @Injectable()
  class Users {
    @WithLock('user:<0>')
    async register(_email: string): Promise<void> {}
  }

  @Injectable()
  class Orders {
    @WithLock('order:<0>', { name: 'billing' })
    async pay(_id: string): Promise<void> {}
  }

  const compile = (...providers: Provider[]): Promise<unknown> => Test.createTestingModule({ providers }).compile();

  it('is told what to import where a provider has a locked method', async () => {
    await expect(compile(Users)).rejects.toThrow(
      '@WithLock needs RedlockModule.forRoot({ nodes }) among the imports of the application',
    );
  });

  it('is told the name of the pool that is missing', async () => {
    await expect(compile(Orders)).rejects.toThrow("@WithLock needs RedlockModule.forRoot({ name: 'billing', nodes })");
  });

  it('is told not to list the service among its providers', async () => {
    await expect(compile(RedlockService)).rejects.toThrow(
      'RedlockService is no provider to list: import RedlockModule.forRoot({ nodes }) instead, which provides it',
    );
  });
});
