import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { CodeBlock } from './readme.js';

const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

/** What Jest reports of the specs that it has run. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

const pasted = new Set<PastedCode>();

/** Code as files beside each other in a folder of their own among the tests, as a reader has it who pastes it all. */
export class PastedCode {
  private constructor(readonly folder: string) {}

  static async write(blocks: readonly CodeBlock[]): Promise<PastedCode> {
    const code = new PastedCode(await mkdtemp(join('test', 'e2e', 'pasted-')));
    pasted.add(code);
    for (const block of blocks) await writeFile(join(code.folder, block.file), block.code);
    return code;
  }

  /** Runs a file as a module, and resolves with what it exports. */
  async run<T>(file: string): Promise<T> {
    return (await import(`../e2e/${basename(this.folder)}/${file}`)) as T;
  }

  /** Runs files as specs, whatever becomes of them. */
  async runSpecs(files: readonly string[]): Promise<Report> {
    const report = join(this.folder, 'report.json');
    const paths = files.map((file) => join(this.folder, file));
    // As this run was started: with ES modules.
    const args = [...process.execArgv, JEST, '-i', '--json', '--outputFile', report, '--runTestsByPath', ...paths];
    await promisify(execFile)(process.execPath, args).catch(() => undefined);
    return JSON.parse(await readFile(report, 'utf8')) as Report;
  }
}

/** Removes the folders of whatever a test has pasted. */
export async function removePasted(): Promise<void> {
  await Promise.all([...pasted].map(({ folder }) => rm(folder, { recursive: true })));
  pasted.clear();
}
