import { explore } from './explore.js';
import { Model, type Choices } from './model.js';

/**
 * Runs worlds in a process of its own: `node run.mjs FROM COUNT CHOICES`. Stops at the first violation if `CHOICES.stop` is set. With
 * `CHOICES.explore`, the numbers are not seeds but orders of the first messages.
 */
const [from = '0', count = '100', text = '{}'] = process.argv.slice(2);
const { stop, explore: isExploring, ...fixed } = JSON.parse(text) as Partial<Choices> & Options;

interface Options {
  readonly stop?: boolean;
  readonly explore?: boolean;
}

const report = { worlds: 0, grants: 0, told: 0, bad: [] as { seed: number; violation: string }[] };
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const { grants, told, violations } = isExploring
    ? { grants: 3, told: 0, violations: await explore(seed) }
    : await new Model(seed, fixed).run();
  report.worlds += 1;
  report.grants += grants;
  report.told += told;
  if (violations.length > 0) report.bad.push({ seed, violation: violations[0]! });
  if (stop && violations.length > 0) break;
}
console.log(JSON.stringify(report));
