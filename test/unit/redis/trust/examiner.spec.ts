import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TimersOfTest } from '../../../support/timers-of-test.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { Examiner } from '../../../../lib/redis/trust/examiner.js';
import { infoOf, redisOf } from '../../../support/noted-trust.js';

const BUSY = Object.assign(new Error('BUSY Redis is busy running a script'), { name: 'ReplyError' });

describe('Examiner', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('tells when the server was asked what it could answer: not before, and not when the answer was read', async () => {
    const clock = new TimersOfTest();
    const examiner = new Examiner(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine: true }, clock), clock);
    jest.advanceTimersByTime(5_000);
    let isBusy = true;
    const info = async (): Promise<string> => {
      if (isBusy) throw BUSY;
      await new Promise((resolve) => setTimeout(resolve, 700));
      return infoOf('abc');
    };
    const start = clock.now().monotonic;
    const answer = examiner.ask(Object.assign(redisOf(''), { info }));
    await jest.advanceTimersByTimeAsync(250);
    isBusy = false;
    await jest.advanceTimersByTimeAsync(1_000);
    const { server } = await answer;
    expect(server).toEqual({ run: 'abc', since: undefined, asked: start + 300 });
    examiner.close();
  });
});
