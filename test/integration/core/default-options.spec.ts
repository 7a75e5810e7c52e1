import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import { overlaps } from '../../support/lock-process/turn.js';
import { standing } from '../../support/node-lines.js';

/** Ms for which each waiter works once it has the lock. */
const WORK = 500;

describe('the default options', () => {
  const { crew, pool } = crewOnNodes(5);

  it('give the lock of a holder that is killed to all waiters, one after the other', async () => {
    const resource = pool.resource();
    const [holder, ...waiters] = await crew.start(3, pool.urls);
    expect(await holder!.take({ resource, options: { autoExtend: true } }).outcome).toBe('acquired');
    const turns = waiters.map((waiter) => waiter.take({ resource, hold: WORK }));
    await standing(pool, waiters.length, resource);
    // Its lease lasts for longest where it was extended just now.
    await eventually(() => expect(holder!.said.some(({ event }) => event === 'extended')).toBe(true));
    await holder!.kill();
    expect(await Promise.all(turns.map(({ outcome }) => outcome))).toEqual(['acquired', 'acquired']);
    expect(overlaps((await Promise.all(turns.map(({ hold }) => hold))).map((hold) => hold!))).toEqual([]);
  });
});
