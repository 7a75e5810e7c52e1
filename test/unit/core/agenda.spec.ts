import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../../../lib/core/agenda.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('Agenda', () => {
  let clock: VirtualClock;
  let agenda: Agenda;
  let done: string[];
  const note = (name: string) => () => void done.push(`${name} at ${clock.now().monotonic}`);

  beforeEach(() => {
    clock = new VirtualClock();
    agenda = new Agenda(clock);
    done = [];
  });

  it('runs tasks in the order in which they are due', async () => {
    agenda.add(30, note('late'));
    agenda.add(10, note('early'));
    agenda.add(20, note('middle'));
    await clock.advance(100);
    expect(done).toEqual(['early at 10', 'middle at 20', 'late at 30']);
  });

  it('keeps one timer, whatever is on it', () => {
    for (let delay = 100; delay > 0; delay -= 1) agenda.add(delay, note('task'));
    expect(clock.timers).toBe(1);
    expect(clock.nextIn).toBe(1);
  });

  it('runs tasks of the same ms in one turn', async () => {
    agenda.add(10.2, note('first'));
    agenda.add(10.7, note('second'));
    await clock.advance(10);
    expect(done).toEqual(['first at 10', 'second at 10']);
  });

  it('runs a task at most one ms early, and not late', async () => {
    clock.block(0.4);
    agenda.add(10.5, note('task'));
    await clock.advance(20);
    expect(done).toEqual(['task at 10']);
  });

  it('does not run what was taken back', async () => {
    const remove = agenda.add(10, note('removed'));
    agenda.add(10, note('kept'));
    remove();
    await clock.advance(20);
    expect(done).toEqual(['kept at 10']);
  });

  it('does not run what a task before it in the same ms takes back', async () => {
    let remove = (): void => undefined;
    agenda.add(10, () => remove());
    remove = agenda.add(10, note('removed'));
    await clock.advance(20);
    expect(done).toEqual([]);
  });

  it('leaves no timer behind when everything was taken back', () => {
    const removers = [agenda.add(10, note('a')), agenda.add(20, note('b'))];
    for (const remove of removers) remove();
    expect(clock.timers).toBe(0);
  });

  it('takes back twice without harm', async () => {
    const remove = agenda.add(10, note('removed'));
    remove();
    agenda.add(10, note('kept'));
    remove();
    await clock.advance(20);
    expect(done).toEqual(['kept at 10']);
  });

  it('runs what a task adds', async () => {
    agenda.add(10, () => agenda.add(5, note('added')));
    await clock.advance(20);
    expect(done).toEqual(['added at 15']);
  });

  it('catches up after a blocked event loop, in order', async () => {
    agenda.add(10, note('first'));
    agenda.add(20, note('second'));
    clock.block(50);
    await clock.advance(0);
    expect(done).toEqual(['first at 50', 'second at 50']);
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
    clock.stepWall(90_000);
    await clock.advance(1_000);
    expect(done).toEqual([expect.stringMatching(/^due at 1[0-9]{3}$/)]);
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

  it('does not run early because the wall clock wavers', async () => {
    agenda.add(1_000, note('task'));
    for (const ms of [30, -40, 35, -20]) {
      await clock.advance(200);
      clock.stepWall(ms);
    }
    await clock.advance(200);
    expect(done).toEqual(['task at 1000']);
  });

  it('waits on when its timer comes early', async () => {
    const hasty = new Agenda({
      now: () => clock.now(),
      afterInput: (task) => clock.afterInput(task),
      schedule: (delay, task) => clock.schedule(Math.min(delay, 40), task),
    });
    hasty.add(100, note('task'));
    await clock.advance(200);
    expect(done).toEqual(['task at 100']);
  });

  it('bears as many due times as a busy process has locks', async () => {
    for (let delay = 1; delay <= 150_000; delay += 1) agenda.add(delay, () => undefined);
    agenda.add(1, note('task'));
    await clock.advance(1);
    expect(done).toEqual(['task at 1']);
  });
});
