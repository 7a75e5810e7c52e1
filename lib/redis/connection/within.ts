import type { Clock } from '../../core/time/clock.js';

/** Resolves with `event`, or without it after `limit` ms. */
export async function within(limit: number, event: Promise<void>, clock: Pick<Clock, 'schedule'>): Promise<void> {
  let stopTimer = (): void => undefined;
  const late = new Promise<void>((resolve) => (stopTimer = clock.schedule(limit, resolve)));
  await Promise.race([event, late]);
  stopTimer();
}
