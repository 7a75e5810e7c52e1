import { Pairs } from './alone.mjs';
import { used } from './memory-used.mjs';

const STEPS = 10;

/**
 * Pairs without end, and what of them stays in memory.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {{ run: string, pairs: number, concurrency: number }} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, { run, pairs, concurrency }) {
  return async (stage) => {
    const perStep = pairs / STEPS;
    const heaps = [used().heap];
    let failures = 0;
    for (let step = 0; step < STEPS && !stage.isStopped; step += 1) {
      const work = new Pairs(client, `${run}:${step}`);
      await work.repeat(concurrency, { pairs: perStep });
      failures += work.failures;
      heaps.push(used().heap);
    }
    const done = (heaps.length - 1) * perStep;
    return { pairs: done, heaps, failures, ...growth(heaps, perStep), ...(done < pairs && { note: `${done} done` }) };
  };
}

/**
 * The first fifth is warm-up: code is compiled, pools are filled.
 * @param {number[]} heaps after each step
 * @param {number} perStep
 */
function growth(heaps, perStep) {
  const settled = heaps.slice(2);
  const grown = Number(settled.at(-1)) - Number(settled[0]);
  return {
    grown: grown / 1024,
    perPair: grown / ((settled.length - 1) * perStep),
    warmUp: (Number(settled[0]) - Number(heaps[0])) / 1024,
  };
}
