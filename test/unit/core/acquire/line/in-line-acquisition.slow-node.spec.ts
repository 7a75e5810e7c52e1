import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { eventually } from '../../../../support/eventually.js';
import { MemoryPool } from '../../../../support/memory-pool.js';

it('a node that is slow to answer keeps nothing of a caller that has had the lock', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const pool = new MemoryPool();
  const { redlock } = pool.client();
  pool.nodes[2]!.faults = { acquire: { slow: 60_000 }, release: { slow: 60_000 } };
  const signals: WeakRef<AbortSignal>[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const { signal } = new AbortController();
    signals.push(new WeakRef(signal));
    const lock = await pool.clock.until(redlock.acquire(`lock-${turn}`, { signal }));
    await pool.clock.until(lock.release());
  }
  await eventually(() => {
    collect();
    // Of one or the other a reference lies about still, in a register or with a coverage tool.
    expect(signals.filter((signal) => signal.deref() !== undefined).length).toBeLessThan(5);
  }, 5_000);
});
