import { parseArgs } from 'node:util';
import { CONSUMERS } from '../consumers.mjs';
import { SABOTAGES } from './sabotage.mjs';

/** @typedef {import('../consumers.mjs').Consumer} Consumer */
/** @typedef {import('./sabotage.mjs').Sabotage} Sabotage */
/** @typedef {{ quick: boolean, keep: boolean, consumers: readonly Consumer[], sabotage?: Sabotage }} Options */

const USAGE = `Usage: npm run consumers -- [options]

  --quick            those marked *, with one compiler
  --only <a,b>       these
  --keep             leaves the temporary folder
  --sabotage <name>  breaks the tarball first, and runs those that have to notice: they fail
  --help             shows this

${listOf(CONSUMERS.map(({ name, isQuick, says }) => [`${isQuick ? '*' : ' '} ${name}`, says]))}

Sabotages
${listOf(SABOTAGES.map(({ name, says }) => [`  ${name}`, says]))}`;

const SHAPE = /** @type {const} */ ({
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  keep: { type: 'boolean', default: false },
  sabotage: { type: 'string' },
  help: { type: 'boolean', default: false },
});

/** @param {string[]} args @returns {Options | undefined} nothing where all is said */
export function optionsOrHelp(args) {
  try {
    const { values } = parseArgs({ args, options: SHAPE });
    if (!values.help) return toOptions(values);
    console.log(USAGE);
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  return undefined;
}

/** @param {{ quick: boolean, keep: boolean, only?: string, sabotage?: string }} values @returns {Options} */
function toOptions({ quick, keep, only, sabotage: name }) {
  const sabotage = SABOTAGES.find((one) => one.name === name);
  if (name !== undefined && !sabotage) throw new Error(`--sabotage: there is no "${name}"`);
  const chosen = only === undefined ? sabotage?.noticedBy : only.split(',').map((one) => one.trim());
  const stranger = chosen?.find((one) => CONSUMERS.every((consumer) => consumer.name !== one));
  if (stranger !== undefined) throw new Error(`--only: there is no "${stranger}"`);
  const consumers = CONSUMERS.filter((one) => chosen?.includes(one.name) ?? (one.isQuick || !quick));
  return { quick, keep, consumers, sabotage };
}

/** @param {string[][]} rows */
function listOf(rows) {
  const width = Math.max(...rows.map(([name = '']) => name.length));
  return rows.map(([name = '', says]) => `${name.padEnd(width)}  ${says}`).join('\n');
}
