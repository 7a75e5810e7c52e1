import { describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import type { Answer, LockNode, Operation, Peeked } from '../../../lib/engine/lock-node.js';
import { type Ballot, MOST_RECORD_BYTES, ReplyRegister } from '../../../lib/engine/reply-register.js';
import { MemoryPool } from '../../support/memory-pool.js';
import type { Fault } from '../../support/scripted-node.js';
import { Pool } from '../../../lib/engine/pool.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { SeededRandom } from '../../support/seeded-random.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const KEEP = 3_600_000;
const MAX_TTL = 30_000;
const [A, B, C] = ['a', 'b', 'c'].map((owner, index) => ({ token: 10 + index, owner, fingerprint: `f${owner}` })) as [
  Ballot,
  Ballot,
  Ballot,
];
const keptBy = ({ fingerprint }: Ballot, record: string): unknown => ({ kind: 'kept', kept: { fingerprint, record } });

class World {
  readonly pool: MemoryPool;
  readonly register: ReplyRegister;
  readonly thin: [string, number][] = [];

  constructor(nodes = 3) {
    this.pool = new MemoryPool(nodes, MAX_TTL);
    this.register = this.pool.client().redlock.register;
    this.register.thin = (...told) => this.thin.push(told);
  }

  /** Lets time pass until a call is over. */
  end<T>(call: Promise<T>): Promise<T> {
    return this.pool.clock.until(call);
  }

  open(ballot: Ballot, keep = KEEP): Promise<unknown> {
    return this.end(this.register.open('k', ballot, keep));
  }

  settle(ballot: Ballot, record: string, keep = KEEP): Promise<unknown> {
    return this.end(this.register.settle('k', ballot, record, keep));
  }

  peek(): Promise<unknown> {
    return this.end(this.register.peek('k'));
  }

  /** Breaks the way to these nodes, and mends it to the others. */
  fault(nodes: readonly number[], fault: Fault = 'down'): void {
    this.pool.nodes.forEach((node, index) => node.fail(nodes.includes(index) ? fault : undefined));
  }

  on(node: number, operation: Operation = { kind: 'peek', resource: 'k' }): Answer {
    return this.pool.memory[node]!.data.execute('test', [operation])[0]!;
  }

  /** What each node has: its record, or else who has the promise. */
  get copies(): (string | undefined)[] {
    return this.pool.nodes.map((_, node) => {
      const { found, running } = this.on(node) as Partial<Peeked>;
      return found ? `${found.value}: ${found.record}` : running?.value;
    });
  }

  /** As the process left it that died on its way. */
  openOn(node: number, { owner: value, ...ballot }: Ballot): void {
    this.on(node, { kind: 'open', resource: 'k', value, ...ballot, ttl: KEEP });
  }

  settleOn(node: number, { owner: value, ...ballot }: Ballot, record: string): void {
    this.on(node, { kind: 'settle', resource: 'k', value, ...ballot, record, ttl: KEEP });
  }
}

describe('a record over several nodes', () => {
  it('is new, running, and kept', async () => {
    const world = new World();
    expect(await world.peek()).toEqual({ kind: 'none' });
    expect(await world.open(A)).toEqual({ kind: 'new' });
    expect(await world.peek()).toEqual({ kind: 'running', fingerprint: 'fa' });
    expect(await world.settle(A, 'r')).toBe('settled');
    expect(await world.peek()).toEqual(keptBy(A, 'r'));
    expect(await world.open(B)).toEqual(keptBy(A, 'r'));
    expect(world.copies).toEqual(['a: r', 'a: r', 'a: r']);
    expect(world.thin).toEqual([]);
  });

  it('stays open on every node if it is opened again after too few nodes answered', async () => {
    const world = new World();
    world.fault([1, 2], 'silent');
    await expect(world.open(A)).rejects.toBeInstanceOf(QuorumNotReachedError);
    world.fault([]);
    expect(await world.open(A)).toEqual({ kind: 'new' });
    // Whatever was still to be sent has been sent by then.
    await world.pool.clock.advance(70_000);
    expect(world.copies).toEqual(['a', 'a', 'a']);
  });

  it('is not settled by an attempt behind which another one has opened the key', async () => {
    const world = new World();
    await world.open(A);
    expect(await world.open(B)).toEqual({ kind: 'interrupted', attempts: 1, fingerprint: 'fa' });
    expect(await world.settle(A, 'late')).toBe('superseded');
    expect(await world.open(A)).toEqual({ kind: 'superseded' });
    expect(await world.settle(B, 'r')).toBe('settled');
    expect(await world.open(C)).toEqual(keptBy(B, 'r'));
  });

  it('of several is the one with the greatest ballot', async () => {
    const world = new World();
    world.settleOn(0, B, 'second');
    world.settleOn(1, A, 'first');
    world.settleOn(2, A, 'first');
    expect(await world.open(C)).toEqual(keptBy(B, 'second'));
    const other = new World();
    other.settleOn(0, A, 'first');
    other.settleOn(1, { ...A, owner: 'aa' }, 'second');
    expect(await other.open(C)).toEqual(keptBy(A, 'second'));
  });

  it('keeps the time that was left when it is settled again', async () => {
    const world = new World();
    world.settleOn(0, A, 'r');
    await world.pool.clock.advance(KEEP - 1_000);
    expect(await world.open(B)).toEqual(keptBy(A, 'r'));
    await world.pool.clock.advance(990);
    expect(await world.peek()).toEqual(keptBy(A, 'r'));
    await world.pool.clock.advance(20);
    expect(await world.peek()).toEqual({ kind: 'none' });
  });

  it('is peeked at without waiting for a silent node', async () => {
    const world = new World();
    world.fault([2], 'silent');
    const since = world.pool.clock.now().monotonic;
    expect(await world.peek()).toEqual({ kind: 'none' });
    await world.open(A);
    expect(await world.peek()).toMatchObject({ kind: 'running' });
    await world.settle(A, 'r');
    expect(await world.peek()).toMatchObject({ kind: 'kept' });
    expect(world.pool.clock.now().monotonic - since).toBe(0);
  });

  it('has a promise that lasts for at least two of the longest leases', async () => {
    const world = new World();
    await world.open(A, 1_000);
    await world.pool.clock.advance(2 * MAX_TTL - 1);
    expect(await world.peek()).toMatchObject({ kind: 'running' });
    await world.pool.clock.advance(2);
    expect(await world.peek()).toMatchObject({ kind: 'none' });
  });
});

describe('an attempt that ended without a record', () => {
  it('is told to the next one by whatever node of the quorum knows of it', async () => {
    const world = new World();
    world.openOn(2, A);
    world.fault([1]);
    expect(await world.open(B)).toEqual({ kind: 'interrupted', attempts: 1, fingerprint: 'fa' });
    expect(await world.open(B)).toEqual({ kind: 'interrupted', attempts: 1, fingerprint: 'fa' });
    expect(await world.open(C)).toEqual({ kind: 'interrupted', attempts: 2, fingerprint: 'fb' });
  });

  it('is not told if it has cleared its promise, also on nodes that were away then', async () => {
    const world = new World();
    await world.open(A);
    world.fault([0]);
    await world.end(world.register.clear('k', A));
    expect(world.copies).toEqual(['a', undefined, undefined]);
    world.fault([]);
    await world.pool.clock.advance(1_000);
    expect(world.copies).toEqual([undefined, undefined, undefined]);
    expect(await world.open(B)).toEqual({ kind: 'new' });
  });
});

describe('without a quorum', () => {
  it.each(['open', 'settle', 'clear', 'forget'] as const)('%s fails, and names the nodes', async (verb) => {
    const world = new World();
    world.fault([1, 2], 'silent');
    const call =
      verb === 'settle'
        ? world.register.settle('k', A, 'r', KEEP)
        : verb === 'forget'
          ? world.register.forget('k')
          : verb === 'open'
            ? world.register.open('k', A, KEEP)
            : world.register.clear('k', A);
    const error = await world.end(
      call.then(
        () => undefined,
        (reason: unknown) => reason,
      ),
    );
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    const { nodes } = error as QuorumNotReachedError;
    expect(nodes.map(({ node, outcome }) => `${node} ${outcome}`)).toEqual([
      'node-1 granted',
      'node-2 unknown',
      'node-3 unknown',
    ]);
  });

  it('there is nothing to peek at', async () => {
    const world = new World();
    world.fault([1, 2], 'silent');
    expect(await world.peek()).toEqual({ kind: 'none' });
  });

  it('a greater promise somewhere does not say that an attempt is superseded', async () => {
    const world = new World(5);
    world.on(0, { kind: 'open', resource: 'k', value: 'b', token: B.token, fingerprint: null, ttl: KEEP });
    world.fault([1, 2, 3]);
    await expect(world.open(A)).rejects.toThrow(QuorumNotReachedError);
  });
});

describe('nodes in quarantine', () => {
  it('do not say that there is nothing, and do not count for a quorum', async () => {
    const world = new World();
    await world.open(A);
    await world.settle(A, 'r');
    for (const node of [0, 1]) world.pool.memory[node]!.flush(MAX_TTL);
    const error = await world.open(B).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    expect((error as QuorumNotReachedError).retryAfter).toBe(MAX_TTL);
    expect(await world.peek()).toEqual({ kind: 'none' });
    await expect(world.settle(B, 'other')).rejects.toThrow(QuorumNotReachedError);
  });

  it('are believed if they have a record, and get one', async () => {
    const world = new World();
    await world.open(A);
    world.settleOn(0, A, 'r');
    world.pool.memory[0]!.data.restart(MAX_TTL);
    expect(await world.open(B)).toEqual(keptBy(A, 'r'));
    await world.pool.clock.advance(MAX_TTL);
    expect(world.copies).toEqual(['b: r', 'b: r', 'b: r']);
  });

  it('have no copies that make a record count as settled', async () => {
    const world = new World();
    world.settleOn(0, A, 'r');
    world.settleOn(1, A, 'r');
    world.pool.memory[1]!.data.restart(MAX_TTL);
    expect(await world.peek()).toEqual({ kind: 'none' });
    for (const node of [0, 2]) world.pool.nodes[node]!.faults = { settle: 'silent' };
    expect(await world.open(B)).toEqual({ kind: 'superseded' });
  });

  it('have no votes, whatever they have', async () => {
    const world = new World();
    world.settleOn(0, A, 'r');
    world.pool.memory[0]!.data.restart(MAX_TTL);
    world.fault([1]);
    await expect(world.open(B)).rejects.toThrow(QuorumNotReachedError);
  });
});

describe('a node that has missed a record', () => {
  it('gets it when it is back, with the time that was left', async () => {
    const world = new World();
    await world.open(A);
    world.fault([2]);
    expect(await world.settle(A, 'r')).toBe('settled');
    await world.pool.clock.advance(10_000);
    expect(world.thin).toEqual([['k', 2]]);
    expect(world.copies).toEqual(['a: r', 'a: r', 'a']);
    world.fault([]);
    await world.pool.clock.advance(6_000);
    expect(world.copies).toEqual(['a: r', 'a: r', 'a: r']);
    const left = world.pool.memory.map((_, node) => (world.on(node) as Peeked).remaining);
    expect(Math.abs(left[2]! - left[0]!)).toBeLessThan(10);
    expect(world.pool.clock.timers).toBe(0);
  });

  it('does not get it after a minute, or once it was forgotten', async () => {
    const [late, forgotten] = [new World(), new World()];
    for (const world of [late, forgotten]) {
      world.fault([2]);
      await world.settle(A, 'r');
    }
    await forgotten.end(forgotten.register.forget('k'));
    forgotten.fault([]);
    await forgotten.pool.clock.advance(60_000);
    expect(forgotten.copies).toEqual([undefined, undefined, undefined]);
    await late.pool.clock.advance(61_000);
    late.fault([]);
    await late.pool.clock.advance(60_000);
    expect(late.copies).toEqual(['a: r', 'a: r', undefined]);
    expect([late, forgotten].map(({ pool }) => pool.clock.timers)).toEqual([0, 0]);
  });

  it('does not get it later if no quorum has it', async () => {
    const world = new World();
    world.fault([1, 2]);
    await expect(world.settle(A, 'r')).rejects.toThrow(QuorumNotReachedError);
    world.fault([]);
    await world.pool.clock.advance(10_000);
    expect([world.copies, world.thin]).toEqual([['a: r', undefined, undefined], []]);
  });

  it('is not owed more than a limited number of records', async () => {
    const world = new World();
    world.fault([2]);
    const record = 'x'.repeat(MOST_RECORD_BYTES);
    for (let key = 0; key < 200; key += 1) await world.end(world.register.settle(`k${key}`, A, record, KEEP));
    world.fault([]);
    await world.pool.clock.advance(10_000);
    const { resources } = world.pool.memory[2]!.data.records;
    expect(resources.length).toBeGreaterThan(100);
    expect(resources.length).toBeLessThan(140);
    expect(resources).toContain('k199');
  });

  it('gets it from whoever finds it later', async () => {
    const world = new World();
    world.settleOn(0, A, 'r');
    world.settleOn(1, A, 'r');
    expect(await world.open(B)).toEqual(keptBy(A, 'r'));
    await world.pool.clock.advance(1);
    expect(world.copies).toEqual(['b: r', 'b: r', 'b: r']);
  });

  it('is left alone after the end of the pool', async () => {
    const { pool } = new World();
    const { redlock } = pool.client();
    pool.nodes[2]!.fail('down');
    await pool.clock.until(redlock.register.settle('k', A, 'r', KEEP));
    await pool.clock.until(redlock.close());
    expect(pool.clock.timers).toBe(0);
  });
});

describe('for operators', () => {
  it('is described, and forgotten', async () => {
    const { register, pool, ...world } = new World();
    const described = (): Promise<unknown> => pool.clock.until(register.describe('k'));
    expect(await described()).toBeUndefined();
    await pool.clock.until(register.open('k', A, KEEP));
    await pool.clock.until(register.open('k', B, KEEP));
    await pool.clock.advance(500);
    expect(await described()).toEqual({ state: 'running', attempts: 2, age: 500, expiresIn: KEEP - 500, size: 0 });
    await pool.clock.until(register.settle('k', B, 'rä', KEEP));
    expect(await described()).toEqual({ state: 'kept', attempts: 2, age: 500, expiresIn: KEEP, size: 3 });
    expect(await pool.clock.until(register.forget('k'))).toBe(true);
    expect(await pool.clock.until(register.forget('k'))).toBe(false);
    expect(world.thin).toEqual([]);
  });

  it('is refused if it is too long to be read with many others', async () => {
    const world = new World();
    await expect(world.settle(A, 'ä'.repeat(MOST_RECORD_BYTES / 2 + 1))).rejects.toThrow(RangeError);
  });
});

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
