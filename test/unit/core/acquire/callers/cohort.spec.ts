import { beforeEach, describe, expect, it } from '@jest/globals';
import { PASSING_WINDOW } from '../../../../../lib/core/acquire/callers/cohort.js';
import { Cohort } from '../../../../../lib/core/acquire/callers/cohort.js';

const END = 1_000;

describe('the time for which a process has a lock', () => {
  let cohort: Cohort;
  beforeEach(() => void (cohort = new Cohort()));

  it('leaves each caller its own date until it is over', () => {
    expect([cohort.includes(END), cohort.dateOf(END)]).toEqual([true, END]);
  });

  it.each([
    ['long before its end', -100, -100 + PASSING_WINDOW, true],
    ['before its end', -PASSING_WINDOW - 1, -1, true],
    ['a moment before its end', -PASSING_WINDOW, 0, true],
    ['with its end', 0, 0, true],
    ['a moment later', PASSING_WINDOW, 0, true],
    ['later', PASSING_WINDOW + 1, 1, false],
  ])(
    'dates a caller that came %s with its end, or as near to its end as a moment allows',
    (_, came, date, isIncluded) => {
      cohort.end(END);
      expect([cohort.dateOf(END + came), cohort.includes(END + came)]).toEqual([END + date, isIncluded]);
    },
  );
});
