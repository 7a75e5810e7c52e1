import { parseArgs } from 'node:util';
import { stands, tokenOf } from '../../lib/core/port/fencing.js';
import { countersUpTo, explore } from './exploration/exploration.js';
import type { Judge } from './judge/ledger.js';
import { Progress } from './progress.js';
import { runSeeds, type Range } from './seeds.js';
import { simulate, type SimulationOptions } from './simulation.js';
import type { Weakness } from './faults/weakness.js';

const HELP = `npm run simulate -- [--seeds N] [--first N] [--workers N]   many seeds, from --first on
npm run simulate -- --seed N                              one seed, with its trace
npm run simulate -- --explore N [--counters N] [--returning N]
                                                          all that can happen to N attempts on three nodes, whose fence
                                                          counters begin at anything up to --counters, and of which
                                                          --returning may give a vote back`;
/** Only the end of a trace is shown if no trace was asked for. */
const LINES = 150;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string' },
    explore: { type: 'string' },
    counters: { type: 'string', default: '2' },
    returning: { type: 'string', default: '1' },
    /** For the tests of the simulation itself. */
    weakness: { type: 'string' },
    judge: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const options: SimulationOptions = {
  weakness: values.weakness as Weakness | undefined,
  judge: values.judge as Judge | undefined,
};

if (values.help) console.log(HELP);
else if (values.explore !== undefined) exploreAll();
else if (values.seed === undefined) await many();
else await one(Number(values.seed), Infinity);

async function many(): Promise<void> {
  const range: Range = { first: Number(values.first), count: Number(values.seeds), options };
  const started = performance.now();
  const progress = new Progress(range.count, (line) => console.error(line));
  const { seeds, events, holds, failed } = await runSeeds(range, Number(values.workers), (sofar) =>
    progress.tell(sofar),
  );
  const seconds = (performance.now() - started) / 1_000;
  const rate = `${Math.round(seeds / seconds)} seeds/s`;
  console.log(`${seeds} seeds in ${seconds.toFixed(1)} s (${rate}): ${events} events, ${holds} locks held`);
  if (failed === undefined) return;
  console.log(`failed: seed ${failed}`);
  await one(failed, LINES);
}

async function one(seed: number, lines: number): Promise<void> {
  const { failure, events, holds, trace } = await simulate(seed, { ...options, traced: true });
  const shown = trace.slice(-lines);
  if (shown.length < trace.length) console.log(`${trace[0]}\n... ${trace.length - shown.length} lines`);
  for (const line of shown) console.log(line);
  console.log(`seed ${seed}: ${events} events, ${holds} locks held`);
  if (!failure) return console.log('all promises held');
  console.log(`${failure.stack}\nreplay it by: npm run simulate -- --seed ${seed}`);
  process.exitCode = 1;
}

function exploreAll(): void {
  const [attempts, most, returning] = [Number(values.explore), Number(values.counters), Number(values.returning)];
  const started = performance.now();
  const { states, violation } = explore({ tokenOf, stands }, { counters: countersUpTo(most, 3), attempts, returning });
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `${attempts} attempts, ${returning} returning, counters up to ${most}: ${states} states in ${seconds.toFixed(1)} s`,
  );
  if (!violation) return console.log('all promises held');
  console.log(`two holders, or a token that goes back:\n${violation.join('\n')}`);
  process.exitCode = 1;
}
