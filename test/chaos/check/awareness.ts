import type { Hold, Look } from '../record.js';

/** Holders that blocked their event loop beyond the end of their validity, and did not know it when they looked. */
export function unawareOf(looks: readonly Look[]): Look[] {
  return looks.filter(({ at, latest, left, aborted }) => (left > 0 ? at > latest : !aborted));
}

/** Locks that were over when their callers got them. */
export function stillborn(holds: readonly Hold[]): Hold[] {
  return holds.filter(({ from, until }) => until <= from);
}
