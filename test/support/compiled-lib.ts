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

/** Those files of lib that need no Nest. */
const PARTS = /^(engine|redis)\//;
const WHOLE = /^(?!testing\/)/;

/** lib/engine and lib/redis, or all of lib, as plain JavaScript in a temporary folder, for tests that need a process of their own. */
export class CompiledLib {
  private constructor(private readonly folder: string) {}

  static async make({ whole = false } = {}): Promise<CompiledLib> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-lib-'));
    keeper.add('folder', folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const files = await readdir(join(ROOT, 'lib'), { recursive: true });
    const wanted = files.filter((file) => file.endsWith('.ts') && (whole ? WHOLE : PARTS).test(file));
    await Promise.all(wanted.map((file) => compile(file, folder)));
    return new CompiledLib(folder);
  }

  /** Starts Node with `script`, an ES module that finds lib beside itself: `import { Redlock } from './engine/redlock.js'`. */
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

async function compile(name: string, folder: string): Promise<void> {
  const { code } = await transform(await readFile(join(ROOT, 'lib', name), 'utf8'), OPTIONS);
  const file = join(folder, name.replace(/\.ts$/, '.js'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
}
