import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ShimmedClock } from '../../support/clock-shim.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { standing } from '../../support/node-lines.js';
import { describeWithClocks } from '../../support/with-clocks.js';

/** Ms. */
const STEP = 8_000;
/** Ms by which a clock that was set may make time seem to go on once, since the uptime is told in hundredths of a second. */
const ROUNDING = 25;

describeWithClocks('a process whose wall clock is set while it runs', () => {
  const { crew, pool } = crewOnNodes(3);
  let clock: ShimmedClock;
  let ours: LockProcess;
  let resource: string;
  beforeAll(async () => {
    clock = await ShimmedClock.make(0);
  });
  beforeEach(async () => {
    resource = pool.resource();
    await clock.set(0);
    [ours] = (await crew.start(1, pool.urls, { env: clock.env })) as [LockProcess];
  });
  afterAll(() => clock.remove());

  it.each([
    ['forward', STEP],
    ['back', -STEP],
  ])('waits for its 1.5 s, though the clock is set %s by 8 s meanwhile', async (_, step) => {
    const { redlock } = await pool.client();
    await redlock.acquire(resource, { ttl: 60_000 });
    const since = performance.now();
    const turn = ours.take({ resource, options: { waitTimeout: 1_500 } });
    await standing(pool, 1, resource);
    await clock.set(step);
    expect(await turn.outcome).toBe('RESOURCE_LOCKED');
    expect(performance.now() - since).toBeGreaterThanOrEqual(1_500 - ROUNDING);
  });

  // A wall clock that was set forward looks like a suspension of the machine.
  it.each([
    ['for 8 s less if the clock is set forward', STEP, STEP],
    ['for as long if the clock is set back', -STEP, 0],
  ])('has a lock of 20 s %s by 8 s', async (_, step, lost) => {
    const since = performance.now();
    const turn = ours.take({ resource, options: { ttl: 20_000 } });
    expect(await turn.outcome).toBe('acquired');
    const before = await turn.validity();
    await clock.set(step);
    const after = await turn.validity();
    expect(after).toBeLessThanOrEqual(before);
    expect(after).toBeGreaterThan(20_000 - 202 - lost - (performance.now() - since) - ROUNDING);
    expect(after).toBeLessThanOrEqual(20_000 - lost);
    await turn.release();
  });

  it('gives the lock to no other process though its clock is set forward and back under the lock', async () => {
    const { redlock } = await pool.client();
    const turn = ours.take({ resource, options: { ttl: 20_000 } });
    expect(await turn.outcome).toBe('acquired');
    for (const step of [STEP, -STEP, 0]) {
      await clock.set(step);
      expect(await turn.validity()).toBeGreaterThan(0);
      await expect(redlock.acquire(resource, { waitTimeout: 0 })).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    }
    await turn.release();
    await (await redlock.acquire(resource, { waitTimeout: 0 })).release();
  });
});
