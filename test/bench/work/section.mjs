import { delay } from '../harness/clock.mjs';

/**
 * A section of real waiting. Node's timers may be up to a ms early where other events have woken the loop, so a timer
 * alone would be shorter the more a candidate talks.
 * @param {number} ms at least so long; 0 does not wait at all
 */
export async function section(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end) await delay(1);
}
