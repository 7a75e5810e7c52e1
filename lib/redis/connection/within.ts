import type { Clock } from '../../engine/clock.js';

/** Resolves with `event`, or after `limit` ms at the latest. */
export async function within(limit: number, event: Promise<void>, clock: Pick<Clock, 'schedule'>): Promise<void> {
  let stopTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => (stopTimer = clock.schedule(limit, resolve)));
  await Promise.race([event, late]);
  stopTimer();
}
