import type { Hold } from '../record.js';
import type { Stall } from './history.js';

/** Ms by which a timer may be late on a busy machine without a stall that the process notices. */
const LATE = 50;

/** Signals that aborted after the end of the validity, although the process did not stand still. */
export function lateAborts(holds: readonly Hold[], stalls: readonly Stall[]): Hold[] {
  return holds.filter(
    ({ client, lost, until }) =>
      lost !== undefined &&
      lost > until + LATE &&
      !stalls.some((stall) => stall.client === client && stall.from <= until + LATE && stall.to >= until),
  );
}
