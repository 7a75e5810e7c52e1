// `npm run bench`: this library beside the bare commands and beside other libraries, on five Redis nodes of its own.
//
//   npm run bench                                   everything, five rounds: about two hours
//   npm run bench -- --quick                        this library and the bare commands, one short round: some minutes
//   npm run bench -- --only alone --rounds 3        one scenario
//   npm run bench -- --candidates ours,raw,limit    some candidates
//   npm run bench -- --out docs/bench               writes the results, their tables and the charts there
//   npm run bench -- --report docs/bench            makes these tables and charts once more, and measures nothing
//
// It needs Node.js and redis-server or valkey-server on the PATH, and installs the packages of test/bench/package.json
// for itself. Every candidate runs in processes of its own, all in turn, round after round; read the ratios, because
// absolute figures are those of the machine. It asserts nothing: it ends with 0 whatever it measured. What each word
// and each ideal means stands in report/definitions.mjs and in every report.
//
//   harness/     rounds, processes, statistics       candidates/  one file for each, behind the same two methods
//   redis/       nodes and proxies                   work/        what a process of a candidate does
//   scenarios/   what is done with the processes     report/      tables, charts, the figures to reach
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leave, leaveCleanly } from './harness/leaving.mjs';
import { readOptions, USAGE } from './harness/options.mjs';
import { buildLibrary, installPeers } from './harness/prepare.mjs';
import { runRounds } from './harness/rounds.mjs';
import { Servers } from './redis/servers.mjs';
import { goalsTable } from './report/goals-table.mjs';
import { machine } from './report/machine.mjs';
import { writeJson, writePages, writeReport } from './report/report.mjs';
import { asText, idealOf, tableOf, titleOf } from './report/tables.mjs';
import { SCENARIOS } from './scenarios/scenarios.mjs';

function optionsOrHelp() {
  try {
    const options = readOptions(process.argv.slice(2));
    if (!options.help) return options;
    console.log(USAGE);
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  return undefined;
}

/** @param {import('./harness/options.mjs').Options} options */
async function bench(options) {
  installPeers();
  const library = options.library ?? buildLibrary();
  const servers = new Servers();
  await servers.start();
  const plan = { ...options, library, servers };
  const out = options.out ?? mkdtempSync(join(tmpdir(), 'nestjs-redlock-bench-'));
  /** @type {import('./report/report.mjs').Measured} */
  const measured = { machine: machine(servers.version), results: {} };
  for (const scenario of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const result = await runRounds(scenario, plan);
    if (Object.keys(result).length === 0) continue; // nothing of it belongs to a quick run
    measured.results[scenario.name] = result;
    show(scenario, result);
    // After each, so that an end before the end loses nothing.
    writeReport(out, SCENARIOS, measured);
    if (options.json !== undefined) writeJson(options.json, measured);
  }
  console.log(`\nThe figures to reach\n\n${asText(goalsTable(measured.results))}\n\nWritten to ${out}`);
}

/**
 * @param {import('./harness/rounds.mjs').Scenario} scenario
 * @param {import('./harness/rounds.mjs').ScenarioResult} result
 */
function show(scenario, result) {
  console.log(`\n${scenario.title}`);
  for (const [variant, ofVariant] of Object.entries(result)) {
    const parts = [titleOf(scenario, variant), asText(tableOf(scenario, ofVariant)), idealOf(ofVariant)];
    console.log(`\n${parts.filter(Boolean).join('\n')}`);
  }
}

const options = optionsOrHelp();
if (options !== undefined) {
  leaveCleanly();
  try {
    if (options.report !== undefined) writePages(options.report, SCENARIOS);
    else await bench(options);
  } finally {
    await leave();
  }
}
