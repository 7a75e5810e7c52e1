// The command is one file with its library for arguments in it, so that the package itself depends on ioredis only. It
// is CommonJS, as that library is.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} folder @returns {Promise<string>} the path of the command */
export async function bundleCli(folder) {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'nestjs-redlock.cjs');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['lib/cli/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    external: ['ioredis'],
    banner: { js: '#!/usr/bin/env node' },
    metafile: true,
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
  writeFileSync(join(folder, 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)));
  return outfile;
}

/** The licenses of what was put into the file, which ask to be passed on with it. @param {string[]} inputs */
function licensesOf(inputs) {
  const packages = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  return [...packages].sort().map(licenseOf).join('\n\n');
}

/** @param {string} folder */
function licenseOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no license that could be passed on`);
  return `${name} ${version}\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}`;
}
