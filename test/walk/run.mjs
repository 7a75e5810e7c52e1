// `npm run walk`: prints, in order, the files of lib that one warm acquire and release execute on five real Redis nodes.
//
//   npm run walk                   each file once, and figures about lib
//   npm run walk -- --functions    every function each time that it is entered or returned to
//
// A file counts as executed if one of its functions was called, by the precise coverage of the inspector.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '../chaos/compile.mjs';
import { figuresOf } from './figures.mjs';
import { traceOf } from './trace.mjs';

const NODES = 5;
const WARM_UP = 2_000;

const compiled = await compile();
try {
  const { RedisPool } = await import(pathToFileURL(join(compiled.folder, 'test/support/redis-pool.js')).href);
  const pool = await RedisPool.start(NODES);
  try {
    const { redlock } = await pool.client({ nodeTimeout: 100 });
    const acquire = () => redlock.acquire('warm', { ttl: 30_000 });
    for (let pair = 0; pair < WARM_UP; pair += 1) await (await acquire()).release();
    print(await traceOf(pathToFileURL(`${compiled.folder}/`).href, acquire));
  } finally {
    await pool.stop();
  }
} finally {
  await compiled.remove();
}
for (const [name, value] of Object.entries(await figuresOf())) console.log(`${name}: ${value}`);

/** @param {import('./trace.mjs').Trace} trace */
function print({ files, acquire, release }) {
  for (const [title, steps] of Object.entries({ acquire, release })) {
    console.log(`\n${title}`);
    for (const { file, name } of shown(steps)) console.log(`  ${file}  ${name}`);
  }
  const returned = returnsOf(release);
  console.log(`\nfiles executed by one warm acquire and release: ${files.length}`);
  console.log(`returns on the way from a release to the nodes: ${returned.length} ${returned.join(', ')}`);
}

/** @param {readonly import('./trace.mjs').Step[]} steps */
function shown(steps) {
  if (process.argv.includes('--functions')) {
    return steps.filter(({ file, name }, at) => steps[at - 1]?.file !== file || steps[at - 1]?.name !== name);
  }
  const first = new Map();
  for (const step of steps) if (!first.has(step.file)) first.set(step.file, step);
  return [...first.values()];
}

/**
 * Returns the files in which a release goes on after it had left them, up to the first file of a node. Clocks, timers and collections do
 * not count, because every file calls them and goes on.
 * @param {readonly import('./trace.mjs').Step[]} steps
 */
function returnsOf(steps) {
  const end = steps.findIndex(({ file }) => !file.startsWith('lib/engine/'));
  const files = steps.slice(0, end).map(({ file }) => file);
  const way = files.filter((file) => !/^lib\/engine\/(clock|system-clock|real-time)\./.test(file));
  const hops = way.filter((file, at) => file !== way[at - 1]);
  return hops.filter((file, at) => hops.indexOf(file) < at);
}
