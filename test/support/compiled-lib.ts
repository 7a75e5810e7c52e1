import { transform, type Options } from '@swc/core';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { keeper } from './redis-server/keeper.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const OPTIONS: Options = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  swcrc: false,
};

const PARTS = ['core', 'redis'];
const WHOLE = ['.', 'with-lock', 'memory', ...PARTS];

/** lib/core and lib/redis, or all of lib, as plain JavaScript in a temporary folder, for tests that need a process of their own. */
export class CompiledLib {
  private constructor(private readonly folder: string) {}

  static async make({ whole = false } = {}): Promise<CompiledLib> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-lib-'));
    keeper.add('folder', folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await Promise.all((whole ? WHOLE : PARTS).map((part) => compile(join(ROOT, 'lib', part), join(folder, part))));
    return new CompiledLib(folder);
  }

  /** Starts Node with `script`, an ES module that finds lib beside itself: `import { Redlock } from './core/redlock.js'`. */
  async run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const file = join(this.folder, 'script.js');
    await writeFile(file, (await transform(script, OPTIONS)).code);
    const child = spawn(process.execPath, [file, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const { pid } = child;
    if (pid !== undefined) {
      keeper.add('pid', pid);
      child.once('exit', () => keeper.remove('pid', pid));
    }
    return child;
  }

  /** What such a script says until it has ended, which it must do well. */
  async outputOf(script: string, args: readonly string[]): Promise<string> {
    const child = await this.run(script, args);
    const [said, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit') as Promise<[number]>]);
    if (code !== 0) throw new Error(`the script has ended with ${code}: ${said}`);
    return said;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}

async function compile(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (!name.endsWith('.ts')) continue;
    const { code } = await transform(await readFile(join(from, name), 'utf8'), OPTIONS);
    const file = join(to, name.replace(/\.ts$/, '.js'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
  }
}
