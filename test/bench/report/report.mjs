import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CANDIDATES } from '../candidates/candidates.mjs';
import { BOUNDS } from './bounds.mjs';
import { chartOf } from './chart.mjs';
import { DEFINITIONS } from './definitions.mjs';
import { asMarkdown, idealOf, tableOf, titleOf } from './tables.mjs';

/** @typedef {import('./goals.mjs').Results} Results */
/** @typedef {import('../harness/rounds.mjs').Scenario} Scenario */
/** @typedef {ReturnType<typeof import('./machine.mjs').machine>} Machine */
/** @typedef {{ machine: Machine, results: Results }} Measured */

const RESULTS = /^results-node(\d+)\.json$/;

/**
 * Writes results, report and charts. Scenarios of earlier runs with the same version of Node.js stay, and so do the results of other versions.
 * @param {string} folder
 * @param {readonly Scenario[]} scenarios
 * @param {Measured} measured
 */
export function writeReport(folder, scenarios, measured) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `results-node${majorOf(measured.machine)}.json`);
  writeJson(path, existsSync(path) ? merged(read(path), measured) : measured);
  const all = readdirSync(folder)
    .filter((name) => RESULTS.test(name))
    .map((name) => read(join(folder, name)))
    .sort((a, b) => majorOf(b.machine) - majorOf(a.machine));
  const shown = scenarios.filter(({ name }) => all.some(({ results }) => results[name] !== undefined));
  for (const scenario of shown) {
    const newest = all.find(({ results }) => results[scenario.name] !== undefined);
    writeFileSync(join(folder, `${scenario.name}.svg`), chartOf(scenario, newest?.results[scenario.name] ?? {}));
  }
  writeFileSync(join(folder, 'report.md'), markdown(shown, all));
}

/** @param {string} path @param {Measured} measured */
export function writeJson(path, measured) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(measured, shortened, 1)}\n`);
}

/** @param {string} path @returns {Measured} */
function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** @param {Measured} before @param {Measured} measured @returns {Measured} */
function merged(before, { machine, results }) {
  const commands = new Set([...before.machine.command.split('; '), machine.command]);
  return {
    machine: { ...machine, command: [...commands].join('; ') },
    results: { ...before.results, ...results },
  };
}

/** @param {Machine} machine */
function majorOf({ node }) {
  return Number(/\d+/.exec(node)?.[0]);
}

/** More digits than were measured only make a file long. @param {string} _key @param {unknown} value */
function shortened(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

/** @param {readonly Scenario[]} scenarios @param {readonly Measured[]} all the newest version of Node.js first */
function markdown(scenarios, all) {
  return `# Benchmark

${all.map(({ machine }) => aboutOf(machine)).join('\n')}

Five nodes, all candidates and the bench itself share this machine: read ratios, not absolute figures.

${CANDIDATES.map(({ name, title }) => `- \`${name}\`: ${title}`).join('\n')}

\`npm run bench\` measures everything in five rounds, about two hours; \`npm run bench -- --quick\` in less than five minutes, for looking and not for
judging; \`npm run bench -- --help\` tells the rest.

## What bounds the figures

${BOUNDS}

${scenarios.map((scenario) => section(scenario, all)).join('\n\n')}

## What the words mean

${DEFINITIONS}
`;
}

/** @param {Machine} machine */
function aboutOf({ date, command, processor, cores, memoryGb, system, node, redis }) {
  return `- Node.js ${node}, ${date.slice(0, 10)}: \`${command}\`. ${processor}, ${cores} cores, ${memoryGb} GB, ${system}; ${redis}`;
}

/** @param {Scenario} scenario @param {readonly Measured[]} all */
function section(scenario, all) {
  const tables = all.flatMap(({ machine, results }) =>
    Object.entries(results[scenario.name] ?? {}).map(([variant, result]) => {
      const parts = scenario.variants.length > 1 ? [titleOf(scenario, variant)] : [];
      const heading = [...parts, `Node.js ${majorOf(machine)}`].join(', ');
      return [`**${heading}**\n\n${asMarkdown(tableOf(scenario, result))}`, idealOf(result)]
        .filter(Boolean)
        .join('\n\n');
    }),
  );
  return `## ${scenario.name}

${scenario.title}.

![${scenario.name}: ${scenario.chart.title}](${scenario.name}.svg)

${tables.join('\n\n')}`;
}
