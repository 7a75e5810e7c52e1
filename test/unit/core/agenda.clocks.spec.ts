import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda, type Task } from '../../../lib/core/agenda.js';
import { taskOf } from '../../support/task.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('Agenda, whatever the clocks do', () => {
  let clock: VirtualClock;
  let agenda: Agenda;
  let done: string[];
  const note = (name: string): Task => taskOf(() => void done.push(`${name} at ${clock.now().monotonic}`));

  beforeEach(() => {
    clock = new VirtualClock();
    agenda = new Agenda(clock);
    done = [];
  });

  it('runs a task that is due later than the longest timer neither at once nor late', async () => {
    agenda.add(2 ** 31 + 5_000, note('task'));
    expect(clock.nextIn).toBeLessThan(2 ** 31);
    clock.block(2 ** 31);
    await clock.advance(0);
    expect(done).toEqual([]);
    await clock.advance(5_000);
    expect(done).toEqual([`task at ${2 ** 31 + 5_000}`]);
  });

  it('runs soon after the machine was suspended what was due meanwhile, though timers stood still', async () => {
    agenda.add(60_000, note('due'));
    agenda.add(120_000, note('not due'));
    await clock.advance(1_000);
    clock.suspend(90_000);
    await clock.advance(1_000);
    expect(done).toEqual([expect.stringMatching(/^due at 91[0-9]{3}$/)]);
    await clock.advance(29_000);
    expect(done).toHaveLength(2);
  });

  it('does not run late because the wall clock was set back', async () => {
    agenda.add(1_000, note('task'));
    await clock.advance(100);
    clock.stepWall(-60_000);
    await clock.advance(1_000);
    expect(done).toEqual(['task at 1000']);
  });

  it('does not run early because the wall clock is set', async () => {
    agenda.add(1_000, note('task'));
    for (const ms of [30, -40, 60_000, 35, -20]) {
      await clock.advance(200);
      clock.stepWall(ms);
    }
    expect(done).toEqual(['task at 1000']);
  });

  it('waits on when its timer comes early', async () => {
    const hasty = new Agenda({
      now: () => clock.now(),
      afterInput: (task) => clock.afterInput(task),
      nextTurn: (task) => clock.nextTurn(task),
      afterMicrotasks: (task) => clock.afterMicrotasks(task),
      schedule: (delay, task) => clock.schedule(Math.min(delay, 40), task),
    });
    hasty.add(100, note('task'));
    await clock.advance(200);
    expect(done).toEqual(['task at 100']);
  });
});
