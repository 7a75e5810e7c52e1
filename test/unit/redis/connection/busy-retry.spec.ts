import { describe, expect, it, jest } from '@jest/globals';
import { BusyRetry } from '../../../../lib/redis/connection/busy-retry.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const BUSY = new Error('BUSY Redis is busy running a script.');

describe('BusyRetry', () => {
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const begin = () => {
    const clock = new VirtualClock();
    return { clock, asking: new BusyRetry(clock) };
  };
  const question = () => jest.fn<() => Promise<string>>();
  const busy = () => question().mockRejectedValue(BUSY);

  it.each([BUSY, new Error('LOADING Redis is loading'), new Error('MASTERDOWN Link with MASTER is down')])(
    'asks again, after a pause, until a node can answer that cannot now: %s',
    async (error) => {
      const { clock, asking } = begin();
      const ask = question().mockRejectedValueOnce(error).mockRejectedValueOnce(error).mockResolvedValue('answer');
      const asked = asking.ask(ask);
      await clock.advance(99);
      expect(ask).toHaveBeenCalledTimes(1);
      await clock.advance(101);
      expect([await asked, ask.mock.calls.length, clock.timers]).toEqual(['answer', 3, 0]);
    },
  );

  it.each(['NOPERM no permissions', 'Connection is closed.', 'ERR it is BUSY '])(
    'does not ask again after another error: %s',
    async (message) => {
      const { clock, asking } = begin();
      const ask = question().mockRejectedValueOnce(new Error(message)).mockResolvedValue('answer');
      await expect(clock.until(asking.ask(ask))).rejects.toThrow(message);
      expect([ask.mock.calls.length, clock.timers]).toEqual([1, 0]);
    },
  );

  it('asks no busy node again once it is closed, or asked on a new connection; either ends the question and leaves no timer', async () => {
    const { clock, asking } = begin();
    const [gone, present] = [busy(), busy()];
    const former = asking.ask(gone);
    await settled();
    const asked = asking.ask(present);
    await expect(former).rejects.toThrow('it is asked on a new connection');
    expect(clock.timers).toBe(1);
    asking.close();
    await expect(asked).rejects.toThrow('the pool was closed');
    await clock.advance(1_000);
    expect([gone.mock.calls.length, present.mock.calls.length, clock.timers]).toEqual([1, 1, 0]);
  });

  it('ends the question with the reason that it is given, and can be asked again', async () => {
    const { clock, asking } = begin();
    const asked = asking.ask(busy());
    await settled();
    asking.end('the connection was closed');
    await expect(asked).rejects.toThrow('the connection was closed');
    expect(clock.timers).toBe(0);
    await expect(asking.ask(() => Promise.resolve('answer'))).resolves.toBe('answer');
  });

  it('leaves no timer where a node is busy that was asked before it was closed', async () => {
    const { clock, asking } = begin();
    const asked = asking.ask(busy());
    asking.close();
    await expect(asked).rejects.toThrow('the pool was closed');
    expect(clock.timers).toBe(0);
  });
});
