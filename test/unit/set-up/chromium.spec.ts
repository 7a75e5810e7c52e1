import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { findChromium, setUpChromium } from '../../../.ci/set-up/chromium.mjs';
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
  setUpChromium({ env: { PATH: programs.folder, ...more }, isRoot: true });
  return log.mock.calls.map(([line]) => line as string);
}

describe('setUpChromium', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['that is there', { chromium: 'exit 0', 'apt-get': 'exit 1' }, {}],
    ['that has a name', { 'apt-get': 'exit 1' }, { REDLOCK_TEST_CHROMIUM: '/opt/chromium' }],
  ])('takes a Chromium %s', async (_name, scripts, env) => {
    expect(await said(scripts, env)).toEqual([]);
  });

  it('installs it by apt-get, and says so', async () => {
    expect(await said({ 'apt-get': 'exit 0' })).toEqual([
      'No Chromium here. Installing it:',
      '  apt-get update',
      '  apt-get install --yes --no-install-recommends chromium',
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['nothing can install it', {}],
    ['that fails', { 'apt-get': 'exit 1' }],
  ])('says what to do, and goes on, where %s', async (_name, scripts) => {
    expect((await said(scripts)).at(-1)).toMatch(/^Chromium is missing.*are skipped/);
  });

  it('finds the one that has a name first', () => {
    expect(findChromium({ PATH: '/nowhere', REDLOCK_TEST_CHROMIUM: '/opt/chromium' })).toBe('/opt/chromium');
    expect(findChromium({ PATH: '/nowhere' })).toBeUndefined();
  });
});
