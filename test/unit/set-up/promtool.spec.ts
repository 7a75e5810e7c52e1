import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { findPromtool, setUpPromtool } from '../../../.ci/set-up/promtool.mjs';
import { createStubPrograms, type StubPrograms } from '../../support/stub-programs.js';

const DOWNLOAD = '[ "$1" = download ] && echo >prometheus.deb';
const UNPACK = '/bin/mkdir -p "$3/usr/bin" && echo >"$3/usr/bin/promtool"';

let programs: StubPrograms | undefined;

afterEach(async () => {
  jest.restoreAllMocks();
  await programs?.remove();
  programs = undefined;
});

/** A machine with these programs alone, whose cache is empty. */
async function machineWith(
  scripts: Record<string, string>,
): Promise<{ readonly PATH: string; XDG_CACHE_HOME: string }> {
  programs = await createStubPrograms(scripts);
  return { PATH: programs.folder, XDG_CACHE_HOME: join(programs.folder, 'cache') };
}

describe('setUpPromtool', () => {
  it('takes a promtool that is there', async () => {
    const env = await machineWith({ promtool: 'exit 0', 'apt-get': 'echo >asked; exit 1' });
    setUpPromtool(env);
    expect(findPromtool(env)).toBe(join(env.PATH, 'promtool'));
  });

  it('unpacks that of the package prometheus by apt-get, installs nothing, and says so', async () => {
    const said = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const env = await machineWith({ 'apt-get': DOWNLOAD, 'dpkg-deb': UNPACK });
    setUpPromtool(env);
    expect(findPromtool(env)).toBe(join(env.XDG_CACHE_HOME, 'nestjs-redlock/prometheus/usr/bin/promtool'));
    expect(said.mock.calls.map(([line]) => line as string)).toEqual([
      expect.stringContaining('No promtool here. Unpacking that of the package prometheus'),
      '  apt-get download prometheus',
      '  dpkg-deb --extract prometheus.deb files',
    ]);
  });

  it('asks brew where there is no apt-get', async () => {
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const env = await machineWith({
      brew: `echo "$@" >"$(/usr/bin/dirname "$0")/asked"; echo '#!/bin/sh' >"$(/usr/bin/dirname "$0")/promtool"; /bin/chmod +x "$(/usr/bin/dirname "$0")/promtool"`,
    });
    setUpPromtool(env);
    expect(findPromtool(env)).toBe(join(env.PATH, 'promtool'));
  });

  it('says what to install where nothing can fetch it', async () => {
    const said = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const env = await machineWith({});
    setUpPromtool(env);
    expect(findPromtool(env)).toBeUndefined();
    expect(said.mock.calls.flat().join('\n')).toContain('promtool is missing');
  });

  it('does not take half of a download for a promtool', async () => {
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const env = await machineWith({ 'apt-get': DOWNLOAD, 'dpkg-deb': `${UNPACK}; exit 2` });
    await mkdir(join(env.XDG_CACHE_HOME, 'nestjs-redlock/prometheus/new-left'), { recursive: true });
    await writeFile(join(env.XDG_CACHE_HOME, 'nestjs-redlock/prometheus/new-left/prometheus.deb'), '');
    setUpPromtool(env);
    expect(findPromtool(env)).toBeUndefined();
  });
});
