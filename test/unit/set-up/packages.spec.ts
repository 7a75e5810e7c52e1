import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { areInstalled, setUpPackages } from '../../../.ci/set-up/packages.mjs';
import { createStubPrograms, type StubPrograms } from '../../support/stub-programs.js';

const PROJECT = { '': { version: '1.0.0' } };
const A = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } };
const B = { 'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' } };
const FOR_ANOTHER_SYSTEM = { 'node_modules/c': { version: '3.0.0', optional: true } };
const wanted = { packages: { ...PROJECT, ...A, ...B, ...FOR_ANOTHER_SYSTEM } };

describe('areInstalled', () => {
  it.each([
    ['everything is there', { ...A, ...B, ...FOR_ANOTHER_SYSTEM }, true],
    ['what is missing is for another system', { ...A, ...B }, true],
    ['a package is missing', { ...A }, false],
    ['a version is another', { ...A, 'node_modules/b': { version: '2.0.1', integrity: 'sha512-b' } }, false],
    ['the content is another', { ...A, 'node_modules/b': { version: '2.0.0', integrity: 'sha512-x' } }, false],
    ['a package is no longer wanted', { ...A, ...B, 'node_modules/d': { version: '1.0.0' } }, false],
  ])('when %s', (_, packages, expected) => {
    expect(areInstalled(wanted, { packages })).toBe(expected);
  });

  it('is false without a record', () => {
    expect(areInstalled(wanted, undefined)).toBe(false);
  });
});

describe('setUpPackages', () => {
  let programs: StubPrograms;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
    programs = await createStubPrograms({ npm: 'echo "$*" > called' });
    env = { PATH: programs.folder };
    await mkdir(join(programs.folder, 'node_modules'));
    await writeFile(join(programs.folder, 'package-lock.json'), JSON.stringify(wanted));
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await programs.remove();
  });

  function record(packages: object): Promise<void> {
    return writeFile(join(programs.folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  }

  function called(): Promise<string> {
    return readFile(join(programs.folder, 'called'), 'utf8');
  }

  it('installs where nothing is installed', async () => {
    setUpPackages(programs.folder, env);
    expect(await called()).toBe('ci --include=dev --no-audit --no-fund --loglevel=error\n');
  });

  it('installs again when the lock has changed since', async () => {
    await record(A);
    setUpPackages(programs.folder, env);
    expect(await called()).toMatch(/^ci /);
  });

  it('does nothing when all is there', async () => {
    await record({ ...A, ...B });
    setUpPackages(programs.folder, env);
    await expect(called()).rejects.toThrow('ENOENT');
  });

  it('says so when npm fails', async () => {
    await writeFile(join(programs.folder, 'npm'), '#!/bin/sh\nexit 1\n');
    expect(() => setUpPackages(programs.folder, env)).toThrow('npm ci failed');
  });
});
