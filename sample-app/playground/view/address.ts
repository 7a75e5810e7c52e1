import { fromText, toText, WEAKNESSES, type Action } from '../actions.js';
import type { Weakness } from '../recorder.js';
import { PAGES } from '../frames.js';

/** What the address of the page says. */
export interface Address {
  /** The id of a frame, `free`, or `seed`. */
  readonly page: string;
  readonly seed: number;
  readonly actions: readonly Action[];
  readonly without: readonly Weakness[];
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
  const without = WEAKNESSES.filter((one) => rules.includes(one));
  const seed = Number(given.get('seed') ?? Number.NaN);
  const at = Number(given.get('at') ?? Number.NaN);
  const frame = given.get('frame') ?? (without.length > 0 ? 'free' : '');
  const missing = without.map((target) => ({ at: 0, deed: 'without', target }) as const);
  const others = [...given].filter(([name, value]) => !OWN.includes(name) && Number.isFinite(Number(value)));
  return {
    page: given.has('seed') ? 'seed' : (PAGES.find(({ id }) => id === frame) ?? PAGES[0]!).id,
    seed: Number.isInteger(seed) ? seed : 17,
    actions: [...missing, ...fromText(given.get('do') ?? '')],
    without,
    at: Number.isFinite(at) ? at : undefined,
    isEmbedded: given.has('embed'),
    fixed: Object.fromEntries(others.map(([name, value]) => [name, Number(value)])),
  };
}

/** The address of a page with what the reader did. */
export function freeAddress(actions: readonly Action[], at: number): string {
  return `?frame=free${actions.length > 0 ? `&do=${toText(actions)}` : ''}&at=${Math.round(at)}`;
}
