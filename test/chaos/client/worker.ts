import { setTimeout as sleep } from 'node:timers/promises';
import { PERMITS } from '../record.js';
import { runSection, type Plan } from './section.js';
import type { Surroundings } from './surroundings.js';

/**
 * What a worker goes for: one resource that all want, some, a great many, two at once, or two at once that it gives back in the
 * very turn in which it asks for one of them again. `permit`: a resource that several may hold at once. `once`: work that is
 * to be done once for a key that all share.
 */
export type Taste = 'hot' | 'warm' | 'cold' | 'pair' | 'team' | 'permit' | 'once';

/** Warm ones are few enough to be contended now and then; cold ones are hardly ever seen twice. */
const WARM = 8;
const COLD = 10_000;
/** How often a worker asks for many cold ones at once, each of which begins with a computation: together these outlast a lease. */
const BURSTS = 0.01;
const BURST = 8;
/** So many that a line is often empty when a caller comes, and so few that others come soon. */
const TEAM = 10;
/** How often one wants all permits. */
const ALL = 0.08;

/** Takes locks, one after the other, until it is told to rest. */
export async function work(context: Surroundings, taste: Taste, once: () => Promise<void>): Promise<void> {
  while (context.mode !== 'rest') {
    if (taste === 'once') {
      await once();
      await sleep(context.dice.between(2, 80));
      continue;
    }
    const plan = { id: context.newId(), resources: resourcesOf(context, taste), ...termsOf(context) };
    if (taste === 'team') await runTogether(context, plan);
    else if (taste === 'permit') await runSection(context, permitOf(context, plan));
    else if (taste === 'cold' && context.dice.chance(BURSTS)) await runBurst(context);
    else await runSection(context, plan);
    await sleep(context.dice.between(2, taste === 'hot' ? 10 : 40));
  }
}

function permitOf({ dice }: Surroundings, plan: Plan): Plan {
  const take = dice.chance(ALL) ? 'all' : 1;
  return { ...plan, options: { ...plan.options, limit: PERMITS.limit, take } };
}

/** Asks for one of the resources in the turn in which it gives all of them back. */
async function runTogether(context: Surroundings, plan: Plan): Promise<void> {
  let next: Promise<boolean> | undefined;
  const one = context.dice.pick(plan.resources);
  const beside = (): void => {
    const terms = termsOf(context);
    const hold = context.mode === 'go' ? context.dice.between(0, context.terms.ttl) : terms.hold;
    next = runSection(context, { id: context.newId(), resources: [one], ...terms, hold });
  };
  await runSection(context, { ...plan, beside });
  await next;
}

/** As sign-ups that come together, each of which hashes a password. */
async function runBurst(context: Surroundings): Promise<void> {
  const computes = (1.5 * context.terms.ttl) / BURST;
  const plans = Array.from({ length: BURST }, () => ({
    id: context.newId(),
    resources: resourcesOf(context, 'cold'),
    ...termsOf(context),
    computes,
  }));
  await Promise.all(plans.map((plan) => runSection(context, plan)));
}

function resourcesOf({ dice }: Surroundings, taste: Taste): string[] {
  const warm = Array.from({ length: WARM }, (_, index) => `warm-${index}`);
  if (taste === 'hot') return ['hot'];
  if (taste === 'permit') return [PERMITS.resource];
  if (taste === 'pair') return dice.some(2, warm);
  if (taste === 'team')
    return dice.some(
      2,
      Array.from({ length: TEAM }, (_, index) => `team-${index}`),
    );
  return taste === 'warm' ? [dice.pick(warm)] : [`cold-${dice.below(COLD)}`];
}

/** Mostly short, some as long as the lease, and a few so long that only extensions carry them. */
function termsOf({ dice, mode, terms: { ttl }, work: signal }: Surroundings): {
  readonly hold: number;
  readonly options: object;
} {
  const kind = mode === 'calm' ? 0 : dice.below(20);
  const bounds: [number, number] = kind < 15 ? [0, ttl / 30] : kind < 19 ? [ttl / 8, ttl] : [ttl, ttl * 2.5];
  const hold = dice.between(...bounds);
  const waitTimeout = mode === 'calm' ? 60_000 : dice.chance(0.1) ? 0 : dice.between(ttl, ttl * 5);
  const autoExtend = hold > ttl / 2 ? dice.chance(0.9) : dice.chance(0.3);
  return { hold, options: { ttl, waitTimeout, autoExtend, signal } };
}
