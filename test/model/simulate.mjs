// npm run simulate -- [FROM] [COUNT]: runs so many worlds with faults (1,000) from this seed on (0), on all cores.
// In every fourth world some callers want their work done once for a key, beside others or alone. Every fourth seed has a second world, in which
// callers have a limit and processes campaign for a role.
// Ends with 1, and names the seeds, if a promise was broken. `npm run simulate -- SEED 1` runs one of them again.
// npm run simulate -- --shared [FROM] [COUNT]: runs only worlds with limits and leaders, one for each seed.
// npm run simulate -- --once [FROM] [COUNT]: runs only worlds with callers that want their work done once: every fourth seed, from 4 * FROM on.
// npm run simulate -- --explore: runs one world for each order in which the first messages of three callers arrive at three nodes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const CHUNK = 500;
/** Ms after which a process has got stuck in one of its worlds: an endless chain of promises. */
const STUCK = 300_000;
/** As `ORDERS` of explore.ts. */
const ORDERS = 61_440;
const execute = promisify(execFile);
const [first = '', ...others] = process.argv.slice(2);
const isExploring = first === '--explore';
const kind = ['--once', '--shared'].includes(first) ? first.slice(2) : undefined;
const [from = 0, count = 1_000] = isExploring ? [0, ORDERS] : (kind ? others : process.argv.slice(2)).map(Number);
const choices = JSON.stringify({ explore: isExploring, kind });
const folder = await mkdtemp(join(tmpdir(), 'redlock-model-'));
const program = join(folder, 'run.mjs');
const since = performance.now();
const sum = { worlds: 0, grants: 0, told: 0, terms: 0 };
/** @type {{ seed: number, violation: string }[]} */
const bad = [];
let next = from;

async function work() {
  while (next < from + count) {
    const start = next;
    const some = Math.min(CHUNK, from + count - start);
    next += some;
    const { stdout } = await execute(process.execPath, [program, String(start), String(some), choices], {
      timeout: STUCK,
    });
    const report = JSON.parse(stdout);
    sum.worlds += report.worlds;
    sum.grants += report.grants;
    sum.told += report.told;
    sum.terms += report.terms;
    bad.push(...report.bad);
    for (const { seed, violation } of report.bad) console.error(`seed ${seed}: ${violation}`);
  }
}

try {
  await build({
    entryPoints: ['test/model/run.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    resolveExtensions: ['.ts', '.js'],
    logLevel: 'error',
  });
  await Promise.all(Array.from({ length: availableParallelism() }, work));
} finally {
  await rm(folder, { recursive: true, force: true });
}
const seconds = (performance.now() - since) / 1_000;
console.log(
  `${sum.worlds} worlds, ${sum.grants} grants, ${sum.told} answers told, ${sum.terms} terms of leaders, ${bad.length} bad, ${Math.round(sum.worlds / seconds)} worlds a second`,
);
process.exitCode = bad.length > 0 ? 1 : 0;
