import { setImmediate } from 'node:timers/promises';

// Kept before anybody puts fake timers in its place.
const nextTurn = setImmediate;

/** Resolves once everything that was awaited has run. */
export async function turn(): Promise<void> {
  await nextTurn();
}
