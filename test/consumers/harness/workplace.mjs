import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, start } from './execute.mjs';
import { APPS, writeManifest } from './installation.mjs';

// What Nest's own starter has.
const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  isolatedModules: true,
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'dist',
};

/**
 * @typedef {object} Application
 * @property {string} install in which installation
 * @property {'module' | 'commonjs'} type
 * @property {readonly string[]} apps folders of apps/ that are put together; what comes later goes over what was there
 * @property {object} [compilerOptions]
 * @property {string} [as] a folder of its own, where one consumer has several
 */

/** Where one consumer is set up, runs and is heard. */
export class Workplace {
  output = '';
  /** @type {Map<string, string>} the installations by their names */
  folders = new Map();
  /** @type {import('node:child_process').ChildProcess[]} */
  #children = [];

  /** @param {string} name @param {{ nodes: readonly string[], isThorough: boolean }} settings */
  constructor(name, { nodes, isThorough }) {
    this.name = name;
    this.isThorough = isThorough;
    this.env = { REDLOCK_NODES: nodes.join(','), KEY_PREFIX: `${name}:`, NO_COLOR: '1' };
  }

  /** The path of something that is installed. @param {string} install @param {string} path */
  installed(install, path) {
    return join(this.folders.get(install) ?? '', 'node_modules', path);
  }

  /** @param {Application} application @returns {string} its folder */
  furnish({ install, type, apps, compilerOptions, as = '' }) {
    const folder = join(this.folders.get(install) ?? '', 'apps', this.name, as);
    mkdirSync(folder, { recursive: true });
    for (const app of apps) cpSync(join(APPS, app), folder, { recursive: true });
    writeManifest(folder, { name: this.name, private: true, type });
    const tsconfig = {
      compilerOptions: { ...COMPILER_OPTIONS, ...compilerOptions },
      exclude: ['dist', '*.config.*', '*.spec.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig, undefined, 2));
    return folder;
  }

  /** Runs a program of Node to its end. @param {string} folder @param {readonly string[]} args */
  async run(folder, ...args) {
    await execute([process.execPath, ...args], { cwd: folder, env: this.env, hear: (text) => this.#hear(text) });
  }

  /**
   * Starts a program of Node and waits until it says something.
   * @param {string} folder
   * @param {string} program
   * @param {RegExp} word
   * @returns {Promise<string>} the word's first group
   */
  async start(folder, program, word) {
    let said = '';
    return new Promise((resolve, reject) => {
      const hear = (/** @type {string} */ text) => {
        this.#hear(text);
        said += text;
        const [, found] = word.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      const child = start([process.execPath, program], { cwd: folder, env: this.env, limit: 600_000, hear });
      this.#children.push(child);
      child.once('close', (code, signal) => reject(new Error(`${program} ended with ${code ?? signal}`)));
    });
  }

  /** Ends what was started, as a terminal would, and waits for it. @throws Error where something does not end by itself */
  async clear() {
    const alive = this.#children
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(alive.map((child) => this.#end(child)));
  }

  /** @param {import('node:child_process').ChildProcess} child */
  async #end(child) {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await closed.finally(() => clearTimeout(patience));
    if (child.signalCode === 'SIGKILL') throw new Error('the application did not shut down within 15 s of SIGTERM');
  }

  /** @param {string} text */
  #hear(text) {
    this.output += text;
  }
}
