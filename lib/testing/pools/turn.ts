import { setImmediate } from '../../engine/real-time.js';

/** Resolves once all code that was waiting for a settled promise has run. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
}
