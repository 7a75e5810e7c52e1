import { ONCE_IN, type SharedChoices } from './choices.js';
import { explore } from './explore.js';
import { Model } from './model.js';
import type { Result } from './result.js';
import { SharedModel } from './shared.js';

/**
 * Runs worlds in a process of its own: `node run.mjs FROM COUNT CHOICES`. Stops at the first violation if `CHOICES.stop` is set. With
 * `CHOICES.explore`, the numbers are not seeds but orders of the first messages.
 */
const [from = '0', count = '100', text = '{}'] = process.argv.slice(2);
const { stop, explore: isExploring, kind, ...fixed } = JSON.parse(text) as Partial<SharedChoices> & Options;

interface Options {
  readonly stop?: boolean;
  readonly explore?: boolean;
  /** Which worlds there are: with locks, only those with callers that do their work once, or with limits and leaders. @default see `worldsOf` */
  readonly kind?: 'locks' | 'once' | 'shared';
}

/** Every so many seeds have a second world, with limits and leaders. So the first worlds stay what they are. */
const SHARED_IN = 4;

function worldsOf(seed: number): (() => Promise<Omit<Result, 'choices'>>)[] {
  const locks = (): Promise<Result> => new Model(seed, fixed).run();
  const shared = (): Promise<Result> => new SharedModel(seed, fixed).run();
  if (isExploring) return [async () => ({ grants: 3, told: 0, terms: 0, violations: await explore(seed) })];
  if (kind === undefined) return seed % SHARED_IN === 0 ? [locks, shared] : [locks];
  return [kind === 'shared' ? shared : locks];
}

const report = { worlds: 0, grants: 0, told: 0, terms: 0, bad: [] as { seed: number; violation: string }[] };
const step = kind === 'once' ? ONCE_IN : 1;
for (let index = Number(from); index < Number(from) + Number(count); index += 1) {
  const seed = index * step;
  for (const run of worldsOf(seed)) {
    const { grants, told, terms, violations } = await run();
    report.worlds += 1;
    report.grants += grants;
    report.told += told;
    report.terms += terms;
    if (violations.length > 0) report.bad.push({ seed, violation: violations[0]! });
  }
  if (stop && report.bad.length > 0) break;
}
console.log(JSON.stringify(report));
