import { Unfinished } from './child.mjs';
import { Context } from './context.mjs';

/** @typedef {import('./child.mjs').Figures} Figures */
/** @typedef {import('../candidates/candidates.mjs').Candidate} Candidate */
/** @typedef {{ name: string, title?: string, params: Record<string, any>, isLong?: boolean }} Variant not in a quick run of all scenarios where it is long */
/**
 * @typedef {object} Column
 * @property {string} figure
 * @property {string} title
 * @property {number} digits
 * @property {'ratio' | 'difference'} [against] the scenario's baseline in the same round
 */
/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} title
 * @property {readonly Variant[]} variants
 * @property {(chosen: readonly Candidate[], variant: Variant) => readonly Candidate[]} candidates those that take part
 * @property {string} [baseline]
 * @property {readonly Column[]} columns
 * @property {(context: Context) => Promise<Figures>} [control] what is measured first in each round
 * @property {(context: Context) => Promise<Figures>} run
 */
/** @typedef {{ control: Figures[], runs: Record<string, (Figures | undefined)[]> }} VariantResult by candidate and round */
/** @typedef {Record<string, VariantResult>} ScenarioResult by variant */
/** @typedef {import('./context.mjs').Surroundings & import('./options.mjs').Options} Plan */

/**
 * Every candidate once in each round, each round beginning with another one: what the machine does meanwhile meets all.
 * @param {Scenario} scenario
 * @param {Plan} plan
 * @returns {Promise<ScenarioResult>}
 */
export async function runRounds(scenario, plan) {
  const variants = scenario.variants.filter(({ isLong }) => !(isLong && plan.quick && plan.isEverything));
  /** @type {ScenarioResult} */
  const results = Object.fromEntries(variants.map(({ name }) => [name, { control: [], runs: {} }]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const variant of variants) {
      await runRound({ scenario, variant, round }, plan, /** @type {VariantResult} */ (results[variant.name]));
    }
  }
  progress('');
  return results;
}

/**
 * @param {{ scenario: Scenario, variant: Variant, round: number }} what
 * @param {Plan} plan
 * @param {VariantResult} result
 */
async function runRound({ scenario, variant, round }, plan, result) {
  const part = { candidate: undefined, params: variant.params, round, control: {} };
  const control = (await scenario.control?.(new Context(plan, part))) ?? {};
  result.control.push(control);
  for (const { name } of rotated(participants({ scenario, variant, round }, plan), round)) {
    const runs = (result.runs[name] ??= []);
    progress(`${scenario.name} ${variant.name}, round ${round + 1}: ${name}`);
    runs[round] = await runOnce(scenario, new Context(plan, { ...part, candidate: name, control }));
  }
}

/** @param {{ scenario: Scenario, variant: Variant, round: number }} what @param {Plan} plan */
function participants({ scenario, variant, round }, { quick, isEverything, isSelection, candidates }) {
  const all = scenario.candidates(candidates, variant);
  if (!quick) return all;
  const isCompared = isSelection || scenario.baseline !== undefined;
  const shown = all.filter(({ isLong }) => !(isLong && isEverything));
  return shown.filter(({ kind }) => (kind === 'peer' ? round === 0 : kind === 'ours' || isCompared));
}

/** @param {Scenario} scenario @param {Context} context @returns {Promise<Figures>} */
async function runOnce(scenario, context) {
  try {
    return await scenario.run(context);
  } catch (error) {
    if (error instanceof Unfinished) return { note: error.message };
    throw error;
  }
}

/** @template T @param {readonly T[]} items @param {number} by */
function rotated(items, by) {
  return items.map((_, index) => /** @type {T} */ (items[(index + by) % items.length]));
}

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
