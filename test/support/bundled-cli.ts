import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { keeper } from './redis-server/keeper.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLER = pathToFileURL(join(ROOT, '.ci/bundle-cli.mjs')).href;

/** What an operator saw of a command that has ended. */
export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  /** How long the command took, with the start of Node. */
  readonly ms: number;
}

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

  /** Starts the command on these nodes; with `preload`, Node loads that script first. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}, preload?: string): ChildProcess {
    const options = preload === undefined ? [] : ['--require', preload];
    return spawn(process.execPath, [...options, this.file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
  }

  /** Runs the command to its end. */
  async run(args: readonly string[], env?: NodeJS.ProcessEnv, preload?: string): Promise<Ended> {
    const began = performance.now();
    const child = this.start(args, env, preload);
    const [out, err, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit') as Promise<[number]>,
    ]);
    return { out, err, code, ms: performance.now() - began };
  }

  /** Returns a script for `preload` that makes standard output a terminal of this width. */
  terminal(columns: number): Promise<string> {
    const is = JSON.stringify({ isTTY: { value: true }, columns: { value: columns } });
    return this.script(`terminal-${columns}`, `Object.defineProperties(process.stdout, ${is});`);
  }

  /** Writes a script for `preload`. */
  async script(name: string, code: string): Promise<string> {
    const file = join(this.folder, `${name}.cjs`);
    await writeFile(file, code);
    return file;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}
