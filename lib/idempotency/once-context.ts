import { AsyncLocalStorage } from 'node:async_hooks';
import type { OnceCall } from './once-call.js';

/** The keys of the calls within which the code runs: one of these would wait for itself. */
const around = new AsyncLocalStorage<Inside>();

interface Inside {
  readonly call: OnceCall;
  readonly outer: Inside | undefined;
  isOver: boolean;
}

/** What a call has begun may go on after its end, and is not within it any more. */
export function isWithin(key: string): boolean {
  for (let inside = around.getStore(); inside !== undefined; inside = inside.outer)
    if (!inside.isOver && inside.call.key === key) return true;
  return false;
}

/** Runs work within a call, until it ends. */
export async function runWithin<T>(call: OnceCall, work: () => Promise<T>): Promise<T> {
  const inside = { call, outer: around.getStore(), isOver: false };
  try {
    return await around.run(inside, work);
  } finally {
    inside.isOver = true;
  }
}
