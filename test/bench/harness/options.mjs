import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CANDIDATES } from '../candidates/candidates.mjs';
import { SCENARIOS } from '../scenarios/scenarios.mjs';

const SCENARIO_NAMES = SCENARIOS.map(({ name }) => name);

export const USAGE = `Usage: npm run bench -- [options]

  --quick              less than five minutes in all: one short round; no peers unless --candidates names them (then in
                       one round), the bare commands only where others are compared with them, and fewer variants of
                       some scenarios, unless --only names these
  --only <a,b>         these scenarios: ${SCENARIO_NAMES.join(', ')}
  --candidates <a,b>   these candidates: ${CANDIDATES.map(({ name }) => name).join(', ')}
  --rounds <n>         how often each candidate is measured in turn (5, with --quick 1)
  --json <file>        writes everything that was measured
  --out <folder>       adds the results there, to those of other scenarios and versions of Node.js
  --report <folder>    measures nothing: makes tables and charts of the results that are there
  --library <index.js> the built library to measure; without it the one in dist/, built anew where lib/ is newer
  --help               shows this`;

const SHAPE = /** @type {const} */ ({
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  candidates: { type: 'string' },
  rounds: { type: 'string' },
  json: { type: 'string' },
  out: { type: 'string' },
  report: { type: 'string' },
  library: { type: 'string' },
  help: { type: 'boolean', default: false },
});

/**
 * @typedef {object} Options
 * @property {boolean} quick
 * @property {boolean} isEverything whether no scenario was named
 * @property {boolean} isSelection whether the candidates were named
 * @property {readonly string[]} scenarios
 * @property {readonly import('../candidates/candidates.mjs').Candidate[]} candidates
 * @property {number} rounds
 * @property {string} [json]
 * @property {string} [out]
 * @property {string} [report]
 * @property {string} [library]
 * @property {boolean} help
 */

/** @param {string[]} args @returns {Options} @throws Error that says what is wrong */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: SHAPE });
  const { quick, json, out, report, help } = values;
  const library = values.library === undefined ? undefined : resolve(values.library);
  const scenarios = pick(values.only, SCENARIO_NAMES, '--only');
  const names = pick(
    values.candidates,
    CANDIDATES.map(({ name }) => name),
    '--candidates',
  );
  const isSelection = values.candidates !== undefined;
  const isLeftOut = (/** @type {string} */ kind) => quick && !isSelection && kind === 'peer';
  const candidates = CANDIDATES.filter(({ name, kind }) => names.includes(name) && !isLeftOut(kind));
  const rounds = Number(values.rounds ?? (quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds must be a whole number from 1; got ${values.rounds}`);
  const isEverything = values.only === undefined;
  return { quick, isEverything, isSelection, scenarios, candidates, rounds, json, out, report, library, help };
}

/** @param {string | undefined} list @param {readonly string[]} known @param {string} option */
function pick(list, known, option) {
  if (list === undefined) return known;
  const picked = list.split(',').map((name) => name.trim());
  const stranger = picked.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`${option}: there is no "${stranger}"; there are ${known.join(', ')}`);
  return known.filter((name) => picked.includes(name));
}
