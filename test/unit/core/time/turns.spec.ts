import { describe, expect, it } from '@jest/globals';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { Turns } from '../../../../lib/core/time/turns.js';

/** A caller that takes its turn, and goes on working in some microtasks. */
async function call(turns: Turns, name: string, log: string[], meanwhile = (): void => undefined): Promise<void> {
  await turns.next();
  log.push(`${name} begins`);
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
  meanwhile();
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
  log.push(`${name} ends`);
}

const inTurn = (...names: string[]): string[] => names.flatMap((name) => [`${name} begins`, `${name} ends`]);

describe('turns', () => {
  it('let a caller go on once all is over that others do at the same time', async () => {
    const log: string[] = [];
    const other = async (): Promise<void> => {
      for (let step = 0; step < 5; step += 1) await Promise.resolve();
      log.push('other');
    };
    await Promise.all([call(new Turns(new SystemClock()), 'a', log), other()]);
    expect(log).toEqual(['other', ...inTurn('a')]);
  });

  it('let callers go on one at a time, in the order in which they came', async () => {
    const turns = new Turns(new SystemClock());
    const log: string[] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => call(turns, name, log)));
    expect(log).toEqual(inTurn('a', 'b', 'c'));
  });

  it('let a caller wait that comes in the turn of another one', async () => {
    const turns = new Turns(new SystemClock());
    const log: string[] = [];
    const late: Promise<void>[] = [];
    const comes = (name: string) => (): unknown => late.push(call(turns, name, log));
    await Promise.all([call(turns, 'a', log, comes('d')), call(turns, 'b', log, comes('e')), call(turns, 'c', log)]);
    await Promise.all(late);
    expect(log).toEqual(inTurn('a', 'b', 'c', 'd', 'e'));
  });

  it('let all go on before more input is read', async () => {
    const turns = new Turns(new SystemClock());
    const log: string[] = [];
    const loop = turnOfTheLoop().then(() => log.push('input'));
    await Promise.all(['a', 'b', 'c'].map((name) => call(turns, name, log)));
    await loop;
    expect(log).toEqual([...inTurn('a', 'b', 'c'), 'input']);
  });
});
