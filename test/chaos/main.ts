import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { compile } from './compile.mjs';
import { NEMESES } from './nemeses/table.js';
import { readOptions, USAGE, type ChaosOptions } from './options.js';
import { renderPage, type PageChapter } from './report/page.js';
import { asMarkdown, asText, summarize, type Summary } from './report/summary.js';
import { killThreeRounds } from './specials/rounds.js';
import { SABOTAGES } from './specials/sabotage.js';
import { Stage } from './stage/stage.js';
import { runWeather } from './weather.js';

const NODES = 5;
const TITLE = 'Redlock in bad weather';

/** Where everything was compiled to, and how to compile again. */
export interface Tools {
  readonly folder: string;
  readonly compile: typeof compile;
}

interface Outcome {
  readonly summary: Summary;
  readonly complaints: readonly string[];
  readonly failures: readonly string[];
  readonly chapters: readonly PageChapter[];
}

/** Answers the exit code: 1 where something was wrong. */
export async function main(args: readonly string[], tools: Tools): Promise<number> {
  let options: ChaosOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const sabotaged = options.sabotage === undefined ? undefined : await tools.compile(SABOTAGES[options.sabotage]);
  try {
    const library = options.library ?? join((sabotaged ?? tools).folder, 'lib/index.js');
    return await play(options, { library, program: join(tools.folder, 'test/chaos/client/main.js') });
  } finally {
    await sabotaged?.remove();
  }
}

async function play(options: ChaosOptions, paths: { readonly library: string; readonly program: string }) {
  const { clients, seed, ttl, maxTtl, nodeTimeout, restartQuarantine } = options;
  const terms = { ...paths, seed, ttl, maxTtl, nodeTimeout, restartQuarantine };
  const stage = await Stage.start({ ...terms, nodeCount: NODES, clientCount: clients });
  let outcome: Outcome;
  try {
    if (!stage.hasClocks) console.log('No C compiler here: the clocks of the nodes are left alone.');
    outcome = options.rounds > 0 ? await playRounds(stage, options) : await playWeather(stage, options);
  } finally {
    await stage.stop();
  }
  console.log(`\n${asText(outcome.summary)}\n`);
  for (const complaint of [...outcome.complaints, ...outcome.failures]) console.log(`! ${complaint}`);
  if (options.out !== undefined) await write(options.out, outcome);
  return outcome.complaints.length + outcome.failures.length > 0 ? 1 : 0;
}

async function playWeather(stage: Stage, options: ChaosOptions): Promise<Outcome> {
  const nemeses = NEMESES.filter(({ name }) => options.nemeses.includes(name));
  const { totals, gallery } = await runWeather(stage, { ...options, nemeses }, (line) => console.log(line));
  const summary = summarize({ options, totals, store: stage.store });
  return { summary, complaints: totals.complaints, failures: totals.failures, chapters: gallery.chapters };
}

async function playRounds(stage: Stage, options: ChaosOptions): Promise<Outcome> {
  const report = await killThreeRounds(stage, options);
  const { overlaps, backwards, unserved } = report;
  const summary: Summary = [
    ['rounds of three of five killed', String(report.rounds)],
    ['locks held', String(report.holds)],
    ['two holders at once', String(overlaps.length)],
    ['tokens out of order', String(backwards.length)],
    ['slowest to be served after a restart', `${Math.round(report.slowest)} ms`],
    ['not served', String(unserved)],
  ];
  const complaints = [
    ...overlaps.map(({ first, second, ms }) => `${first.id} and ${second.id} held at once for ${ms.toFixed(1)} ms`),
    ...backwards.map(({ first, second }) => `${second.id} got ${second.token} after ${first.id} got ${first.token}`),
    ...(unserved > 0 ? [`in ${unserved} rounds somebody was not served`] : []),
  ];
  return { summary, complaints, failures: stage.crashes, chapters: [] };
}

async function write(folder: string, outcome: Outcome): Promise<void> {
  const { summary, complaints, failures, chapters } = outcome;
  await mkdir(folder, { recursive: true });
  const page = await renderPage({ title: TITLE, summary, complaints: [...complaints, ...failures], chapters });
  await writeFile(join(folder, 'page.html'), page);
  await writeFile(join(folder, 'report.md'), asMarkdown(TITLE, summary));
  await writeFile(join(folder, 'report.json'), `${JSON.stringify({ summary, complaints, failures }, undefined, 2)}\n`);
  console.log(`Written to ${folder}`);
}
