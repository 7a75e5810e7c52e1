import { describe, expect, it, jest } from '@jest/globals';
import { NodeInfo } from '../../../../lib/redis/trust/node-info.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const BUSY = new Error('BUSY Redis is busy running a script.');

describe('NodeInfo', () => {
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const begin = () => {
    const clock = new VirtualClock();
    return { clock, info: new NodeInfo(clock) };
  };

  it('is asked again until a busy node can say it', async () => {
    const { clock, info } = begin();
    const redis = {
      info: jest.fn<() => Promise<string>>().mockRejectedValueOnce(BUSY).mockResolvedValue('run_id:abc'),
    };
    const told = info.ask(redis);
    await clock.advance(100);
    expect([await told, clock.timers]).toEqual(['run_id:abc', 0]);
  });

  it('asks no busy node again once it is closed, or asked on a new connection; either ends the question and leaves no timer', async () => {
    const { clock, info } = begin();
    const [gone, present] = [1, 2].map(() => ({ info: jest.fn<() => Promise<string>>().mockRejectedValue(BUSY) }));
    const former = info.ask(gone!);
    await settled();
    const asked = info.ask(present!);
    await expect(former).rejects.toThrow('it is asked on a new connection');
    expect(clock.timers).toBe(1);
    info.close();
    await expect(asked).rejects.toThrow('the pool was closed');
    await clock.advance(1_000);
    expect([gone!.info.mock.calls.length, present!.info.mock.calls.length, clock.timers]).toEqual([1, 1, 0]);
  });

  it('leaves no timer where a node is busy that was asked before it was closed', async () => {
    const { clock, info } = begin();
    const asked = info.ask({ info: () => Promise.reject(BUSY) });
    info.close();
    await expect(asked).rejects.toThrow('the pool was closed');
    expect(clock.timers).toBe(0);
  });
});
