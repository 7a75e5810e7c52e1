import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { findPostgres, setUpPostgres } from '../../../.ci/set-up/postgres.mjs';
import { createStubPrograms, type StubPrograms } from '../../support/stub-programs.js';

let programs: StubPrograms | undefined;

afterEach(async () => {
  jest.restoreAllMocks();
  await programs?.remove();
  programs = undefined;
});

/** Sets up a machine with these programs alone, and returns what it says. */
async function said(scripts: Record<string, string>, more: Record<string, string> = {}): Promise<string[]> {
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  programs = await createStubPrograms(scripts);
  const env = { PATH: programs.folder, ...more };
  setUpPostgres({ env, isRoot: true, debian: join(programs.folder, 'debian') });
  return log.mock.calls.map(([line]) => line as string);
}

describe('setUpPostgres', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['that is there', { initdb: 'exit 0', 'apt-get': 'exit 1' }, {}],
    ['that has a name', { 'apt-get': 'exit 1' }, { REDLOCK_TEST_POSTGRES: 'postgres://x' }],
  ])('takes a Postgres %s', async (_name, scripts, env) => {
    expect(await said(scripts, env)).toEqual([]);
  });

  it('installs it by apt-get, and says so', async () => {
    expect(await said({ 'apt-get': 'exit 0' })).toEqual([
      'No Postgres here. Installing it:',
      '  apt-get update',
      '  apt-get install --yes --no-install-recommends postgresql',
    ]);
  });

  it('installs it by brew where there is no apt-get', async () => {
    expect(await said({ brew: 'exit 0' })).toContain('  brew install postgresql');
  });

  it.each<[string, Record<string, string>]>([
    ['nothing can install it', {}],
    ['that fails', { 'apt-get': 'exit 1' }],
  ])('says what to do, and goes on, where %s', async (_name, scripts) => {
    expect((await said(scripts)).at(-1)).toMatch(/^Postgres is missing.*are skipped/);
  });
});

describe('findPostgres', () => {
  it('finds the newest one where Debian has it, off the PATH', async () => {
    programs = await createStubPrograms({ initdb: 'exit 0' });
    const debian = join(programs.folder, 'debian');
    for (const version of ['9', '15']) await mkdir(join(debian, version), { recursive: true });
    const { symlink } = await import('node:fs/promises');
    await symlink(programs.folder, join(debian, '15', 'bin'));
    expect(findPostgres('initdb', { PATH: '/nowhere' }, debian)).toBe(join(debian, '15', 'bin', 'initdb'));
  });
});
