import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../.ci/set-up/programs.mjs';

const SOURCE = fileURLToPath(new URL('clock-shim.c', import.meta.url));

/** The library that lets the wall clock of a program be moved; undefined where nothing compiles it. */
export function compileClockShim(folder: string): string | undefined {
  const compiler = process.platform === 'linux' && findProgram(['cc', 'gcc', 'clang']);
  if (!compiler) return undefined;
  const file = join(folder, 'clock-shim.so');
  const { status } = spawnSync(compiler, ['-O2', '-shared', '-fPIC', '-o', file, SOURCE], { stdio: 'ignore' });
  return status === 0 ? file : undefined;
}

/** Puts a clock ahead by so many ms, or behind; every process that has mapped the file reads it at once. */
export async function setClock(file: string, ms: number): Promise<void> {
  const offset = Buffer.alloc(8);
  offset.writeBigInt64LE(BigInt(Math.round(ms * 1_000)));
  // Not truncated in between: the node would be killed for reading what is not there.
  await writeFile(file, offset, { flag: 'r+' });
}
