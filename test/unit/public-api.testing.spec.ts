import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { DynamicModule } from '@nestjs/common';
import type { RedlockModuleOptions } from '../../lib/index.js';
import * as testing from '../../lib/testing/index.js';
import type {
  HeldElsewhere,
  HoldOptions,
  RedlockMatchers,
  RedlockTestingOptions,
  RedlockTestingPool,
  RestartOptions,
  TestingNode,
} from '../../lib/testing/index.js';

describe('the public surface of nestjs-redlock/testing', () => {
  it('is this, and nothing more', () => {
    expect(Object.keys(testing).sort()).toEqual([
      'RedlockTesting',
      'RedlockTestingModule',
      'redlockMatchers',
      'replyStoreContract',
    ]);
  });

  it('has these types, and no more', async () => {
    const source = await readFile(new URL('../../lib/testing/index.ts', import.meta.url), 'utf8');
    const lists = [...source.matchAll(/export type \{([^}]*)\}/g)].map(([, names]) => names!.split(','));
    expect(
      lists
        .flat()
        .map((name) => name.trim())
        .sort(),
    ).toEqual([
      'HeldElsewhere',
      'HoldOptions',
      'RedlockMatchers',
      'RedlockTestingOptions',
      'RedlockTestingPool',
      'ReplyStoreCheck',
      'RestartOptions',
      'TestingNode',
    ]);
    // Whatever stands there besides would be in neither list.
    expect(source.replaceAll(/export (type )?\{[^}]*\} from '[^']*';/g, '').trim()).toBe('');
  });

  it('is not loaded by the other one, nor are nodes in memory', async () => {
    const loaded = await filesOf(new URL('../../lib/index.ts', import.meta.url));
    expect(loaded).toContain('engine/redlock.ts');
    expect(loaded.filter((file) => file.startsWith('testing/'))).toEqual([]);
  });

  it('has these options', () => {
    expectTypeOf<keyof RedlockTestingOptions>().toEqualTypeOf<
      Exclude<keyof RedlockModuleOptions, 'keyPrefix' | 'enabled'> | 'clock' | 'pools' | 'isGlobal'
    >();
    expectTypeOf(testing.RedlockTestingModule.forRoot).toEqualTypeOf<
      (options?: RedlockTestingOptions) => DynamicModule
    >();
    expectTypeOf<keyof HoldOptions>().toEqualTypeOf<'ttl' | 'limit' | 'slots'>();
    expectTypeOf<keyof RestartOptions>().toEqualTypeOf<'keep' | 'quarantine'>();
    expect(testing.RedlockTestingModule.forRoot).toHaveLength(0);
  });

  it('has these ways to look and to disturb', () => {
    expectTypeOf<keyof RedlockTestingPool>().toEqualTypeOf<
      | 'nodes'
      | 'events'
      | 'until'
      | 'count'
      | 'isLocked'
      | 'locked'
      | 'waiting'
      | 'untilWaiting'
      | 'hold'
      | 'replies'
      | 'interrupt'
      | 'loseLock'
      | 'elect'
      | 'depose'
      | 'outage'
      | 'recover'
      | 'reset'
    >();
    expectTypeOf<keyof testing.RedlockTesting>().toEqualTypeOf<
      keyof RedlockTestingPool | 'pool' | 'advance' | 'asRequest'
    >();
    expectTypeOf<keyof TestingNode>().toEqualTypeOf<'name' | 'down' | 'slow' | 'freeze' | 'recover' | 'restart'>();
    expectTypeOf<keyof HeldElsewhere>().toEqualTypeOf<'resource' | 'release' | typeof Symbol.dispose>();
    expect(Object.keys(testing.redlockMatchers).sort()).toEqual([
      'toHaveAcquired',
      'toHaveLocked',
      'toHaveNoLocks',
      'toHaveReplayed',
      'toHaveWaiting',
    ] satisfies (keyof RedlockMatchers)[]);
  });
});

/** What a file of lib imports, and what that imports: all but types. */
async function filesOf(file: URL, found = new Set<string>()): Promise<string[]> {
  const root = new URL('../../lib/', import.meta.url).href;
  const name = file.href.slice(root.length);
  if (found.has(name)) return [];
  found.add(name);
  const source = await readFile(file, 'utf8');
  const paths = [...source.matchAll(/^(?:import|export)(?! type)[^;]*? from '(\.[^']*)\.js';/gm)];
  for (const [, path] of paths) await filesOf(new URL(`${path}.ts`, file), found);
  return [...found].sort();
}
