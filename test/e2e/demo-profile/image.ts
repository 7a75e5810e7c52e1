import { transform, type Options } from '@swc/core';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { keeper } from '../../support/redis-server/keeper.js';

const OPTIONS: Options = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  swcrc: false,
};
const PRODUCTION_PACKAGE = resolve('sample-app/demo/production-package.mjs');

export interface Image {
  readonly folder: string;
  remove(): Promise<void>;
}

/** A folder as /app of the image: the compiled sample and package, and only the packages that the image installs by name. */
export async function makeImage(): Promise<Image> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-image-'));
  keeper.add('folder', folder);
  await cp('package.json', join(folder, 'package.json'));
  execFileSync(process.execPath, [PRODUCTION_PACKAGE], { cwd: folder });
  await Promise.all([
    compile('lib', join(folder, 'dist/esm')),
    compile('sample-app/src', join(folder, 'dist/sample-app')),
    install(folder),
  ]);
  return {
    folder,
    remove: async () => {
      await rm(folder, { recursive: true });
      keeper.remove('folder', folder);
    },
  };
}

async function compile(from: string, to: string): Promise<void> {
  const files = await readdir(from, { recursive: true });
  const sources = files.filter((file) => file.endsWith('.ts'));
  await Promise.all(
    sources.map(async (source) => {
      const { code } = await transform(await readFile(join(from, source), 'utf8'), OPTIONS);
      const file = join(to, source.replace(/\.ts$/, '.js'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    }),
  );
}

async function install(folder: string): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  await Promise.all(
    Object.keys(dependencies).map(async (name) => {
      const link = join(folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(resolve('node_modules', name), link);
    }),
  );
}
