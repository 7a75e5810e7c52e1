import { beforeEach, describe, expect, it } from '@jest/globals';
import { PASSING_WINDOW } from '../../../lib/core/hand-off.js';
import { Tenure } from '../../../lib/core/tenure.js';

const END = 1_000;

describe('the time for which a process has a lock', () => {
  let tenure: Tenure;
  beforeEach(() => void (tenure = new Tenure()));

  it('leaves everybody his own date until it is over', () => {
    expect([tenure.isOver, tenure.includes(END), tenure.dateOf(END)]).toEqual([false, true, END]);
  });

  it.each([
    ['somebody who came long before its end', -PASSING_WINDOW - 1, false],
    ['who came a moment before', -PASSING_WINDOW, true],
    ['who came with it', 0, true],
    ['who came a moment later', PASSING_WINDOW, true],
    ['who came long after it', PASSING_WINDOW + 1, false],
  ])('dates with its end, or not: %s (%i ms)', (_, ms, isDated) => {
    tenure.end(END);
    expect([tenure.isOver, tenure.includes(END + ms)]).toEqual([true, isDated]);
    expect(tenure.dateOf(END + ms)).toBe(isDated ? END : END + ms);
  });
});
