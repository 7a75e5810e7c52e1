import { describe, expect, it } from '@jest/globals';
import { Changes } from '../../../../lib/testing/pools/event-record.js';

describe('Changes', () => {
  it('wakes the waiters once the condition is true, and not before', async () => {
    const changes = new Changes();
    let [count, told] = [0, 0];
    const until = [2, 3].map(async (wanted) => {
      await changes.until(() => count >= wanted);
      told = wanted;
    });
    for (const expected of [0, 2, 3]) {
      count += 1;
      changes.notify();
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(told).toBe(expected);
    }
    await Promise.all(until);
  });

  it('does not wait for what is so already', async () => {
    await new Changes().until(() => true);
  });

  it('lets the caller that made the condition true go on first', async () => {
    const changes = new Changes();
    let [isSo, goneOn] = [false, false];
    const until = changes.until(() => isSo).then(() => goneOn);
    const goOn = async (): Promise<void> => {
      for (let step = 0; step < 50; step += 1) await Promise.resolve();
      goneOn = true;
    };
    isSo = true;
    changes.notify();
    void goOn();
    expect(await until).toBe(true);
  });
});
