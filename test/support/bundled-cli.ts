import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { keeper } from './redis-server/keeper.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLER = pathToFileURL(join(ROOT, '.ci/bundle-cli.mjs')).href;

/** The command as the package has it: one file, beside which only ioredis is installed. */
export class BundledCli {
  private constructor(
    readonly folder: string,
    readonly file: string,
  ) {}

  static async make(): Promise<BundledCli> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-cli-'));
    keeper.add('folder', folder);
    // In a process of its own, since esbuild does not work in the contexts of Jest.
    const script = `import { bundleCli } from ${JSON.stringify(BUNDLER)}; await bundleCli(process.argv[1])`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, join(folder, 'cli')]);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new BundledCli(folder, join(folder, 'cli', 'nestjs-redlock.cjs'));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}
