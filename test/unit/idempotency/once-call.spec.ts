import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { isWithin, runWithin } from '../../../lib/idempotency/once-call.js';

describe('runWithin', () => {
  it('knows the calls around it that still run, also through one that is over', async () => {
    let late: Promise<boolean[]> | undefined;
    await runWithin('outer', async () => {
      await runWithin('middle', async () => {
        const later = new Promise((resolve) => setTimeout(resolve, 5));
        late = later.then(() => runWithin('inner', async () => ['outer', 'middle', 'inner'].map(isWithin)));
      });
      expect(await late).toEqual([true, false, true]);
    });
  });

  it.each([
    ['a timer', (next: () => void) => void setTimeout(next, 1)],
    ['its own work', (next: () => void) => next()],
  ])('keeps nothing of the past alive where each call starts its successor by %s', async (_case, start) => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    const grown = await new Promise<number>((resolve) => {
      const round = async (left: number): Promise<void> => {
        await runWithin(Buffer.alloc(1_000_000, left).toString('latin1'), async () => {
          // The call before this one ends meanwhile.
          await new Promise((done) => setTimeout(done, 1));
          if (left > 0) start(() => void round(left - 1));
          else resolve(heap() - before);
        });
      };
      void round(60);
    });
    expect(grown).toBeLessThan(20_000_000);
  });
});
