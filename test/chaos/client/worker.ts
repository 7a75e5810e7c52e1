import { setTimeout as sleep } from 'node:timers/promises';
import { runSection } from './section.js';
import type { Surroundings } from './surroundings.js';

/** What a worker goes for: one resource that all want, some, a great many, or two at once. */
export type Taste = 'hot' | 'warm' | 'cold' | 'pair';

/** Warm ones are few enough to be contended now and then; cold ones are hardly ever seen twice. */
const WARM = 8;
const COLD = 10_000;

/** Takes locks, one after the other, until it is told to rest. */
export async function work(around: Surroundings, taste: Taste): Promise<void> {
  while (around.mode !== 'rest') {
    await runSection(around, {
      id: around.newId(),
      resources: resourcesOf(around, taste),
      ...termsOf(around),
    });
    await sleep(around.dice.between(2, taste === 'hot' ? 10 : 40));
  }
}

function resourcesOf({ dice }: Surroundings, taste: Taste): string[] {
  const warm = Array.from({ length: WARM }, (_, index) => `warm-${index}`);
  if (taste === 'hot') return ['hot'];
  if (taste === 'pair') return dice.some(2, warm);
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
