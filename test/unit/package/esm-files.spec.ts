import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packedFiles } from '../../support/packed-files.js';

/** Outside of Jest, which resolves names in its own way: what an application gets that loads both entry points. */
const APPLICATION = `
  import { inspect } from 'node:util';
  import { NestFactory } from '@nestjs/core';
  import { RedlockService, ResourceLockedError } from 'nestjs-redlock';
  import { RedlockTestingModule } from 'nestjs-redlock/testing';

  const app = await NestFactory.createApplicationContext(RedlockTestingModule.forRoot(), { logger: false });
  // Throws where the testing module provides another class than the one of the root.
  const redlock = app.get(RedlockService);
  const lock = await redlock.acquire('a');
  const error = await redlock.acquire('a', { waitTimeout: 0 }).catch((reason) => reason);
  console.log(JSON.stringify({
    isOneClass: error instanceof ResourceLockedError,
    name: error.name,
    stack: error.stack,
    printed: inspect(error),
  }));
  await lock.release();
  await app.close();
`;

/** What those do who trace the commands of ioredis: they replace what `require` answers. */
const TRACED = `
  const { prototype } = process.getBuiltinModule('node:module');
  const { require: original } = prototype;
  const asked = [];
  prototype.require = function (name) {
    asked.push(name);
    return original.call(this, name);
  };
  const tell = ({ RedlockService }) =>
    console.log(JSON.stringify([typeof RedlockService, asked.filter((name) => name === 'ioredis')]));
`;

/** An application of one format with a package that still loads, or already loads, the other one. */
const BOTH = `
  const load = async (format) => (format === 'esm' ? import('nestjs-redlock') : require('./dist/cjs/index.js'));
  const { Controller, Get, Module, Param } = require('@nestjs/common');
  const { NestFactory } = require('@nestjs/core');

  const tell = async (format, foreign) => {
    const own = await load(format);
    const other = await load(foreign);
    const errors = [
      new other.LockKeyError('no key'),
      new other.ResourceLockedError(['a'], 1_500, []),
      new other.QuorumNotReachedError(['a'], [], 'down'),
    ];
    class Routes { fail(index) { throw errors[index]; } }
    const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, 'fail');
    Get('/:index')(Routes.prototype, 'fail', descriptor);
    Param('index')(Routes.prototype, 'fail', 0);
    Controller()(Routes);
    class App {}
    Module({ imports: [own.RedlockModule.forRoot({ enabled: false })], controllers: [Routes] })(App);
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address();
    const answers = [];
    for (const [index, error] of errors.entries()) {
      const { status, headers } = await fetch('http://127.0.0.1:' + port + '/' + index);
      answers.push([error.name, error.constructor === own[error.name], error instanceof own[error.name],
        error instanceof own.LockLostError, status, headers.get('retry-after')]);
    }
    await app.close();
    return answers;
  };
`;

/** A package of its own, since others may be building or loading the one in dist. */
let folder: string;
let files: readonly string[];

const execute = promisify(execFile);

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'redlock-package-')));
  copyFileSync('package.json', join(folder, 'package.json'));
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  const build = () => execute(process.execPath, ['.ci/build.mjs', join(folder, 'dist')]);
  // Two starts of the sample in a fresh clone build at the same time.
  await Promise.all([build(), build()]);
  files = await packedFiles(folder);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the modules of a format, by their paths in it. */
function modules(format: 'esm' | 'cjs'): string[] {
  const home = `dist/${format}/`;
  return files.filter((file) => file.startsWith(home) && file.endsWith('.js')).map((file) => file.slice(home.length));
}

function classes(format: 'esm' | 'cjs'): string[] {
  const text = modules(format).map((file) => readFileSync(join(folder, 'dist', format, file), 'utf8'));
  const code = text.join('\n').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  return [...code.matchAll(/\bclass ([\w$]+)/g)].map(([, name]) => name!).sort();
}

it('is built whole by two builds at the same time, which leave nothing else behind', () => {
  expect(readdirSync(join(folder, 'dist')).sort()).toEqual(['cjs', 'cli', 'esm']);
});

describe('the ES modules of the package', () => {
  it('are one file for each entry point, and one for what both have', () => {
    expect(modules('esm').sort()).toEqual([
      'idempotency/index.js',
      'index.js',
      'opentelemetry/index.js',
      'redlock.shared.js',
      'terminus/index.js',
      'testing/index.js',
    ]);
  });

  it('have the declarations file by file, as the CommonJS modules are', () => {
    const declared = files.filter((file) => file.startsWith('dist/esm/') && file.endsWith('.d.ts'));
    expect(declared.map((file) => file.slice('dist/esm/'.length, -'.d.ts'.length)).sort()).toEqual(
      modules('cjs')
        .map((file) => file.slice(0, -'.js'.length))
        .sort(),
    );
  });

  it('have the classes of the source by their names, which errors, Nest and profiles show', () => {
    expect(classes('esm').length).toBeGreaterThan(50);
    expect(classes('esm')).toEqual(classes('cjs'));
  });

  it.each([
    ['CommonJS', 'commonjs', "tell(require('nestjs-redlock'));"],
    ['ES modules', 'module', "tell(await import('nestjs-redlock'));"],
  ])('ask for ioredis so that its instrumentation sees it, in an application of %s', async (_format, type, load) => {
    const args = [`--input-type=${type}`, '--eval', `${TRACED}\n${load}`];
    const { stdout } = await execute(process.execPath, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(['function', ['ioredis']]);
  });

  it('have one class for both entry points, and leave out their own frames where they print an error', async () => {
    const args = ['--input-type=module', '--eval', APPLICATION];
    const { stdout } = await execute(process.execPath, args, { cwd: folder });
    const { stack, printed, ...rest } = JSON.parse(stdout) as Record<string, string>;
    expect(rest).toEqual({ isOneClass: true, name: 'ResourceLockedError' });
    expect(stack).toContain('redlock.shared.js');
    expect(printed).toMatch(/^ResourceLockedError: "a" is locked by another holder\n +at /);
    expect(printed).not.toContain(join(folder, 'dist'));
  });

  it.each([
    ['CommonJS', 'cjs', 'esm'],
    ['ES modules', 'esm', 'cjs'],
  ])('answer errors of the other format as their own, in an application of %s', async (_format, own, foreign) => {
    const script = `${BOTH}\ntell('${own}', '${foreign}').then((told) => console.log(JSON.stringify(told)));`;
    const { stdout } = await execute(process.execPath, ['--input-type=commonjs', '--eval', script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([
      ['LockKeyError', false, true, false, 400, null],
      ['ResourceLockedError', false, true, false, 409, '2'],
      ['QuorumNotReachedError', false, true, false, 503, '1'],
    ]);
  });
});
