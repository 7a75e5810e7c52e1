import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { overlaps, type Turn } from '../../support/lock-process/turn.js';
import { linedUp, nothingLeft } from '../../support/node-lines.js';

describe('a waiter that stands still when it is its turn', () => {
  const { crew, pool } = crewOnNodes(5);
  let members: LockProcess[];
  let resource: string;
  beforeEach(async () => {
    resource = pool.resource();
    members = await crew.start(2, pool.urls);
  });

  /** The first of two waiters is frozen, and gets the lock; the second one has it once that was in vain. */
  const passOver = async (waitTimeout: number): Promise<[Turn, Turn]> => {
    const { redlock } = await pool.client();
    const lock = await redlock.acquire(resource, { ttl: 60_000 });
    const frozen = members[0]!.take({ resource, options: { ttl: 2_000, waitTimeout } });
    await linedUp(pool, resource, [members[0]!]);
    const next = members[1]!.take({ resource, options: { ttl: 60_000, waitTimeout: 60_000 } });
    await linedUp(pool, resource, members);
    members[0]!.freeze();
    await lock.release();
    expect(await next.outcome).toBe('acquired');
    return [frozen, next];
  };
  /** The servers on which the resource belongs to the claim that has it on most of them. */
  const ownedByMost = async (): Promise<number[]> => {
    const owners = await pool.owners(resource);
    const holder = owners.find((one) => one !== null && owners.filter((owner) => owner === one).length > 2);
    expect(holder).toBeDefined();
    return [...owners.keys()].filter((nodeIndex) => owners[nodeIndex] === holder);
  };
  const holdsOf = async (turns: readonly Turn[]) => (await Promise.all(turns.map(({ hold }) => hold))).map((h) => h!);

  it('is passed over, and waits again until the other one releases', async () => {
    const [frozen, next] = await passOver(60_000);
    const servers = await ownedByMost();
    members[0]!.thaw();
    // It stands in line again, which it would not if it took what it was told for the lock. Its leases end one by one: where the
    // other one asked in between, it has three nodes, and the rest is for the waiter that came first.
    await linedUp(pool, resource, [members[0]!], servers);
    expect(members[0]!.has('acquired')).toBe(false);
    await next.release();
    expect(await frozen.outcome).toBe('acquired');
    await frozen.release();
    expect(overlaps(await holdsOf([frozen, next]))).toEqual([]);
    await nothingLeft(pool, resource);
  });

  it('finds its time over when it goes on, and leaves nothing behind', async () => {
    const [frozen, next] = await passOver(2_000);
    await eventually(async () => expect(Date.now()).toBeGreaterThan((await frozen.asked) + 2_000));
    members[0]!.thaw();
    expect(await frozen.outcome).toBe('RESOURCE_LOCKED');
    await next.release();
    await nothingLeft(pool, resource);
  });
});
