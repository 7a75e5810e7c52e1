// `npm run interop`: this library and others on the same Redis nodes and the same keys.
//
//   npm run interop              the packages of Node, and all other libraries by what they send: some minutes
//   npm run interop -- --quick   only what needs no installation, and for less time: below a minute
//   npm run interop -- --out docs/bench/interop.json    writes what was found there
//
// Four clients of each kind want one lock; no two may hold it at once. Where it is known that two can - an extension that makes
// a lost key again, a release that deletes any key, nodes that forget, other nodes - the harness has to find them, or it is broken.
// It ends with 1 where anything is not as expected. It needs Node.js, redis-server, and a registry unless it is quick.
//
//   library.ts  what another library is     dialects/  libraries by what they send     packages/  libraries by their packages
//   migration/  the code that docs/compare/migrate.md shows from before, compiled and run
//   checks/     one file for each question  harness.ts runs them, and draws the table  docs/compare/interop.md says what follows
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { installPeers } from '../bench/harness/prepare.mjs';
import { compile } from '../chaos/compile.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['lib', 'test/support', 'test/chaos', 'test/interop'];

const args = process.argv.slice(2);
if (!args.includes('--quick')) {
  installPeers();
  installPeers(join(ROOT, 'test/interop/migration'));
}
const compiled = await compile([], SOURCES);
try {
  const { main } = await import(pathToFileURL(join(compiled.folder, 'test/interop/main.js')).href);
  process.exitCode = await main(args, ROOT);
} finally {
  await compiled.remove();
}
