import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CANDIDATES } from '../candidates/candidates.mjs';
import { chartsOf } from './charts.mjs';
import { DEFINITIONS } from './definitions.mjs';
import { majorOf } from './gathered.mjs';
import { asMarkdown, idealOf, tableOf, titleOf } from './tables.mjs';

/** @typedef {import('./goals.mjs').Results} Results */
/** @typedef {import('../harness/rounds.mjs').Scenario} Scenario */
/** @typedef {ReturnType<typeof import('./machine.mjs').machine>} Machine */
/** @typedef {{ machine: Machine, results: Results }} Measured */

const RESULTS = /^results-node\d+(-[\w-]+)?\.json$/;

/**
 * Writes results, tables and charts. Scenarios of earlier runs with the same version of Node.js stay, and so do the results of other versions.
 * @param {string} folder
 * @param {readonly Scenario[]} scenarios
 * @param {Measured} measured
 */
export function writeReport(folder, scenarios, measured) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `results-node${majorOf(measured)}.json`);
  writeJson(path, existsSync(path) ? merged(read(path), measured) : measured);
  writePages(folder, scenarios);
}

/** Writes tables and charts again, of the results that are in the folder. @param {string} folder @param {readonly Scenario[]} scenarios */
export function writePages(folder, scenarios) {
  for (const [file, content] of Object.entries(pagesOf(folder, scenarios))) writeFileSync(join(folder, file), content);
}

/**
 * Tables and charts, by the name of their file.
 * @param {string} folder
 * @param {readonly Scenario[]} scenarios
 * @returns {Record<string, string>}
 */
export function pagesOf(folder, scenarios) {
  const all = resultsIn(folder);
  const shown = scenarios.filter(({ name }) => all.some(({ results }) => results[name] !== undefined));
  return { ...chartsOf(all), 'README.md': markdown(shown, all) };
}

/** The newest version of Node.js first. @param {string} folder @returns {Measured[]} */
export function resultsIn(folder) {
  return readdirSync(folder)
    .filter((name) => RESULTS.test(name))
    .map((name) => read(join(folder, name)))
    .sort((a, b) => majorOf(b) - majorOf(a) || b.machine.date.localeCompare(a.machine.date));
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

/** More digits than were measured only make a file long. @param {string} _key @param {unknown} value */
function shortened(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

/** @param {readonly Scenario[]} scenarios @param {readonly Measured[]} all the newest version of Node.js first */
function markdown(scenarios, all) {
  const machines = all.map(({ machine }) => {
    const { date, node, processor, cores, memoryGb, system, redis } = machine;
    return [
      dayOf(date),
      node,
      `${processor}, ${cores} cores, ${memoryGb} GB, ${system}`,
      redis.replace('server v=', ''),
    ];
  });
  return `# Raw results of the benchmark

Tables that \`npm run bench -- --report docs/bench\` makes of the results in this folder. [Performance](../internals/performance.md) shows what they mean.

${asMarkdown([['date', 'Node.js', 'machine', 'nodes'], ...machines])}

${asMarkdown([['in the tables', 'is'], ...CANDIDATES.map(({ name, title }) => [name === 'ours' ? title : name, title])])}

${all.map(({ machine }) => `- ${dayOf(machine.date)}, Node.js ${machine.node}: \`${machine.command}\``).join('\n')}

## Words

${asMarkdown([['word', 'means'], ...DEFINITIONS])}

${scenarios.map((scenario) => section(scenario, all)).join('\n\n')}
`;
}

/** @param {string} date */
function dayOf(date) {
  return date.slice(0, 10);
}

/** @param {Scenario} scenario @param {readonly Measured[]} all */
function section(scenario, all) {
  const tables = all.flatMap(({ machine, results }) =>
    Object.entries(results[scenario.name] ?? {}).map(([variant, result]) => {
      const parts = scenario.variants.length > 1 ? [titleOf(scenario, variant)] : [];
      const heading = [...parts, `Node.js ${majorOf({ machine })}`, dayOf(machine.date)].join(', ');
      return [`**${heading}**\n\n${asMarkdown(tableOf(scenario, result))}`, idealOf(result)]
        .filter(Boolean)
        .join('\n\n');
    }),
  );
  return `## ${scenario.name}

${scenario.title}.

${tables.join('\n\n')}`;
}
