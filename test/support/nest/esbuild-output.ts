import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { keeper } from '../redis-server/keeper.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** Bundles a script in TypeScript by esbuild, which writes no types of methods down, runs it, and returns what it prints, as JSON. */
export async function outputOfEsbuild(script: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-esbuild-'));
  keeper.add('folder', folder);
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'script.ts'), script);
    // In a process of its own, since esbuild does not work in the contexts of Jest.
    const options = {
      absWorkingDir: folder,
      entryPoints: ['script.ts'],
      outfile: 'script.mjs',
      alias: { 'nestjs-redlock': join(ROOT, 'lib/index.ts') },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    };
    const esbuild = pathToFileURL(join(ROOT, 'node_modules/esbuild/lib/main.js')).href;
    const bundle = `import { build } from ${JSON.stringify(esbuild)}; await build(${JSON.stringify(options)})`;
    await run(process.execPath, ['--input-type=module', '--eval', bundle]);
    return JSON.parse((await run(process.execPath, [join(folder, 'script.mjs')])).stdout) as unknown;
  } finally {
    await rm(folder, { recursive: true, force: true });
    keeper.remove('folder', folder);
  }
}
