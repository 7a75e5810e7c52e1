import type { Hold } from '../record.js';

/** More slots in use at once than there are. */
export interface Crowd {
  readonly at: number;
  /** Each holder once. */
  readonly ids: readonly string[];
}

export interface Permits {
  readonly crowds: readonly Crowd[];
  /** How many held at once at most. */
  readonly most: number;
  /** How many permits were held, and how many of them were all slots. */
  readonly taken: number;
  readonly all: number;
}

/**
 * Sweeps over the windows of all slots. Whoever takes all has so many slots that anybody beside it is one too many. That
 * two have one slot, or that its tokens go back, is found as it is for locks.
 */
export function permitsOf(holds: readonly Hold[], limit: number): Permits {
  const windows = holds.filter(({ kind, from, to }) => kind === 'permit' && to > from);
  const crowds: Crowd[] = [];
  let most = 0;
  let active: Hold[] = [];
  for (const hold of windows.sort((a, b) => a.from - b.from)) {
    active = [...active.filter(({ to }) => to > hold.from), hold];
    const ids = [...new Set(active.map(({ id }) => id))];
    most = Math.max(most, ids.length);
    if (active.length > limit) crowds.push({ at: hold.from, ids });
  }
  const slots = new Map<string, number>();
  for (const { id } of windows) slots.set(id, (slots.get(id) ?? 0) + 1);
  return { crowds, most, taken: slots.size, all: [...slots.values()].filter((count) => count > 1).length };
}
