import { fromText, toText, WEAKNESSES, type Action } from '../actions.js';
import type { Weakness } from '../recorder.js';
import { FRAMES } from '../frames.js';

/** What the address of the page says. */
export interface Address {
  /** The id of a frame, `free`, or `seed`. */
  readonly page: string;
  readonly seed: number;
  readonly actions: readonly Action[];
  readonly without: ReadonlyMap<Weakness, number>;
  /** The moment at which the page begins, ms. */
  readonly at: number | undefined;
  readonly isEmbedded: boolean;
  /** Other numbers: how the world of a seed is. */
  readonly fixed: Readonly<Record<string, number>>;
}

const OWN = ['frame', 'seed', 'do', 'without', 'at', 'embed'];

export function readAddress(search: string): Address {
  const given = new URLSearchParams(search);
  const rules = (given.get('without') ?? '').split(',');
  const without = new Map(WEAKNESSES.filter((one) => rules.includes(one)).map((one) => [one, 0]));
  const seed = Number(given.get('seed') ?? Number.NaN);
  const frame = given.get('frame') ?? (without.size > 0 ? 'free' : FRAMES[0]!.id);
  const isKnown = frame === 'free' || frame === 'seed' || FRAMES.some(({ id }) => id === frame);
  const missing = [...without.keys()].map((target) => ({ at: 0, deed: 'without', target }) as const);
  const others = [...given].filter(([name, value]) => !OWN.includes(name) && Number.isFinite(Number(value)));
  return {
    page: given.has('seed') ? 'seed' : isKnown ? frame : FRAMES[0]!.id,
    seed: Number.isInteger(seed) ? seed : 17,
    actions: [...missing, ...fromText(given.get('do') ?? '')],
    without,
    at: given.has('at') ? Number(given.get('at')) : undefined,
    isEmbedded: given.has('embed'),
    fixed: Object.fromEntries(others.map(([name, value]) => [name, Number(value)])),
  };
}

/** The address of a page with what the reader did. */
export function freeAddress(actions: readonly Action[], at: number): string {
  return `?frame=free${actions.length > 0 ? `&do=${toText(actions)}` : ''}&at=${Math.round(at)}`;
}
