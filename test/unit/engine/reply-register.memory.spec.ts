import { expect, it } from '@jest/globals';
import type { LockNode } from '../../../lib/engine/lock-node.js';
import { Pool } from '../../../lib/engine/pool.js';
import { ReplyRegister } from '../../../lib/engine/reply-register.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { SeededRandom } from '../../support/seeded-random.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const BALLOT = { token: 1, owner: 'a', fingerprint: null };

it('is full while a node uses 70 % of its memory, which nodes are asked for every 10 s at most', async () => {
  const clock = new VirtualClock();
  let share = 0.69;
  let asked = 0;
  const nodes = ['x', 'y', 'z'].map((name): LockNode => new MemoryNode(name, clock));
  nodes[1]!.room = (told) => {
    asked += 1;
    told({ used: share, isOnDisk: true });
  };
  const register = new ReplyRegister(new Pool(nodes, clock, new SeededRandom(1), { maxTtl: 1_000 }));
  const use = (): Promise<unknown> => clock.until(register.open('k', BALLOT, 1_000));
  await use();
  expect([register.isFull, asked]).toEqual([false, 1]);
  share = 0.7;
  await clock.advance(9_000);
  await use();
  expect([register.isFull, asked]).toEqual([false, 1]);
  await clock.advance(1_000);
  await clock.until(register.settle('k', BALLOT, 'r', 1_000));
  expect([register.isFull, asked]).toEqual([true, 2]);
});

it('warns once of a node that is to keep records for more than an hour, and has them in memory only', async () => {
  const clock = new VirtualClock();
  const nodes = ['x', 'y', 'z'].map((name): LockNode => new MemoryNode(name, clock));
  nodes[0]!.room = (told) => told({ used: 0, isOnDisk: true });
  nodes[1]!.room = (told) => told({ used: 0, isOnDisk: false });
  const register = new ReplyRegister(new Pool(nodes, clock, new SeededRandom(1), { maxTtl: 1_000 }));
  const warned: string[] = [];
  register.forgetful = (node) => warned.push(node);
  const hour = 3_600_000;
  for (const keep of [hour, hour + 1, hour * 24]) {
    await clock.until(register.open(`k ${keep}`, BALLOT, keep));
    await clock.advance(10_000);
  }
  expect(warned).toEqual(['y']);
});
