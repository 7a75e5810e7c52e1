import type { Clock } from '../../lib/engine/clock.js';

/** This clock, but for the way in which it sets timers. */
export function withSchedule(clock: Clock, schedule: Clock['schedule']): Clock {
  return {
    now: () => clock.now(),
    afterInput: (task) => clock.afterInput(task),
    nextTurn: (task) => clock.nextTurn(task),
    schedule,
  };
}
