import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CANDIDATES } from '../candidates/candidates.mjs';
import { BOUNDS } from './bounds.mjs';
import { chartOf } from './chart.mjs';
import { DEFINITIONS } from './definitions.mjs';
import { goalsTable } from './goals-table.mjs';
import { asMarkdown, idealOf, tableOf, titleOf } from './tables.mjs';

/** @typedef {import('./goals.mjs').Results} Results */
/** @typedef {import('../harness/rounds.mjs').Scenario} Scenario */
/** @typedef {{ machine: ReturnType<typeof import('./machine.mjs').machine>, results: Results }} Measured */

/**
 * Results, report and charts.
 * @param {string} folder
 * @param {readonly Scenario[]} scenarios
 * @param {Measured} measured
 */
export function writeReport(folder, scenarios, measured) {
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'results.json'), measured);
  const shown = scenarios.filter(({ name }) => measured.results[name] !== undefined);
  for (const scenario of shown) {
    writeFileSync(join(folder, `${scenario.name}.svg`), chartOf(scenario, measured.results[scenario.name] ?? {}));
  }
  writeFileSync(join(folder, 'report.md'), markdown(shown, measured));
}

/** @param {string} path @param {Measured} measured */
export function writeJson(path, measured) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(measured, shortened, 1)}\n`);
}

/** More digits than were measured only make a file long. @param {string} _key @param {unknown} value */
function shortened(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

/** @param {readonly Scenario[]} scenarios @param {Measured} measured */
function markdown(scenarios, { machine, results }) {
  const { date, command, processor, cores, memoryGb, system, node, redis } = machine;
  return `# Benchmark

${date.slice(0, 10)}, \`${command}\`. ${processor}, ${cores} cores, ${memoryGb} GB, ${system}; Node.js ${node}; ${redis}. Five
nodes, all candidates and the bench itself share this machine: read ratios, not absolute figures.

${CANDIDATES.map(({ name, title }) => `- \`${name}\`: ${title}`).join('\n')}

## The figures to reach

${asMarkdown(goalsTable(results))}

## What bounds them

${BOUNDS}

## How to run it

\`npm run bench\` measures everything in five rounds, about two hours; \`npm run bench -- --quick\` in less than five minutes, for looking and not for
judging; \`npm run bench -- --help\` tells the rest.

${scenarios.map((scenario) => section(scenario, results)).join('\n\n')}

## What the words mean

${DEFINITIONS}
`;
}

/** @param {Scenario} scenario @param {Results} results */
function section(scenario, results) {
  const tables = Object.entries(results[scenario.name] ?? {}).map(([variant, result]) => {
    const heading = scenario.variants.length > 1 ? `**${titleOf(scenario, variant)}**\n\n` : '';
    return [heading + asMarkdown(tableOf(scenario, result)), idealOf(result)].filter(Boolean).join('\n\n');
  });
  return `## ${scenario.name}

${scenario.title}.

![${scenario.name}: ${scenario.chart.title}](${scenario.name}.svg)

${tables.join('\n\n')}`;
}
