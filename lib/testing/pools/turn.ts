import { setImmediate } from 'node:timers/promises';

// Kept here before a test replaces it by a fake timer.
const nextTurn = setImmediate;

/** Resolves once all code that was waiting for a settled promise has run. */
export async function turn(): Promise<void> {
  await nextTurn();
}
