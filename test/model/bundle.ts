import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { SharedChoices } from './choices.js';

/** A rule that is taken out of the source: `from` stands there once, and is replaced by `to`. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface Report {
  readonly worlds: number;
  readonly grants: number;
  readonly told: number;
  readonly terms: number;
  readonly bad: readonly { readonly seed: number; readonly violation: string }[];
}

interface RunOptions {
  /** Ends at the first violation. */
  readonly stop?: boolean;
  readonly explore?: boolean;
  /** Which worlds there are. @default those with locks, and in every fourth seed one more with limits and leaders */
  readonly kind?: 'locks' | 'shared';
}

const execute = promisify(execFile);
/** Ms after which a process has got stuck in one of its worlds: an endless chain of promises. */
const STUCK = 240_000;

/** The model with the engine as it is, or without one of its rules, as a program. */
export class ModelBundle {
  private constructor(private readonly folder: string) {}

  static async make(changes: readonly Change[] = []): Promise<ModelBundle> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-model-'));
    const left = new Set(changes);
    await build({
      entryPoints: ['test/model/run.ts'],
      outfile: join(folder, 'run.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      resolveExtensions: ['.ts', '.js'],
      logLevel: 'error',
      plugins: [
        {
          name: 'changes',
          setup: ({ onLoad }) =>
            onLoad({ filter: /lib\/(engine|leader|memory)\/.*\.ts$/ }, async ({ path }) => {
              let contents = await readFile(path, 'utf8');
              for (const change of changes) {
                if (!path.endsWith(`/${change.file}`)) continue;
                if (contents.split(change.from).length !== 2)
                  throw new Error(`${change.file} does not have once: ${change.from}`);
                contents = contents.replace(change.from, () => change.to);
                left.delete(change);
              }
              return { contents, loader: 'ts' };
            }),
        },
      ],
    });
    for (const { file } of left) throw new Error(`${file} is no part of the model`);
    return new ModelBundle(folder);
  }

  async run(from: number, count: number, choices: Partial<SharedChoices> & RunOptions = {}): Promise<Report> {
    const args = [join(this.folder, 'run.mjs'), String(from), String(count), JSON.stringify(choices)];
    const { stdout } = await execute(process.execPath, args, { maxBuffer: 1e8, timeout: STUCK });
    return JSON.parse(stdout) as Report;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
