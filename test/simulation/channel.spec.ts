import { beforeEach, describe, expect, it } from '@jest/globals';
import { Aside } from '../../lib/core/aside.js';
import type { AcquireAnswer, ReleaseAnswer } from '../../lib/core/lock-node.js';
import { Claim } from '../../lib/core/claim.js';
import { WaiterStub } from '../support/waiter-stub.js';
import { Dice } from './dice.js';
import { Machine } from './machine.js';
import { MAX_TTL, UNNOTICED } from './scenario.js';
import { SimulatedConnection } from './simulated-connection.js';
import { SimulatedNode } from './simulated-node.js';
import { World } from './world.js';

const GRACE = 500;

describe('the line of a simulated node', () => {
  let world: World;
  let node: SimulatedNode;
  let here: SimulatedConnection;
  let there: SimulatedConnection;
  let dies: () => void;
  let holder: Claim;

  beforeEach(async () => {
    world = new World(new Dice(1), () => undefined);
    node = new SimulatedNode(world, { ...clock('node'), maxTtl: MAX_TTL, weakness: 'no quarantine' });
    here = connect('here').connection;
    const other = connect('there');
    there = other.connection;
    dies = () => {
      other.machine.die();
      there.break();
    };
    holder = new Claim(['a'], 'holder');
    await ask(here, holder);
  });

  const clock = (name: string) => ({ name, rate: 1, ahead: 0 });

  function connect(name: string): { connection: SimulatedConnection; machine: Machine } {
    const machine = new Machine(world, clock(name));
    const link = { delay: 1, jitter: 1, requestsBlockedUntil: 0, repliesBlockedUntil: 0, zombies: false };
    return { machine, connection: new SimulatedConnection(world, { machine, node, link, weakness: undefined }) };
  }

  async function ask(connection: SimulatedConnection, claim: Claim): Promise<AcquireAnswer['kind']> {
    let kind: AcquireAnswer['kind'] | undefined;
    connection.acquire(new Aside<AcquireAnswer>(claim, 600, (answer) => (kind = answer.kind)), 0);
    await pass(10);
    return kind!;
  }

  async function lineUp(connection: SimulatedConnection, arrived: number): Promise<WaiterStub> {
    const waiter = new WaiterStub('a', { arrived, grace: GRACE, value: `waiter-${arrived}` });
    expect(await ask(connection, waiter.claim)).toBe('held');
    return waiter;
  }

  async function release(): Promise<void> {
    here.release(new Aside<ReleaseAnswer>(holder, 600), 0);
    await pass(10);
  }

  const pass = (ms: number) => world.runUntil(world.now + ms);

  it('passes over the dead, once the node knows of them', async () => {
    for (const arrived of [10, 11, 12]) await lineUp(there, arrived);
    const waiter = await lineUp(here, 20);
    dies();
    // However long the node does not know, the holder has it: his lease does not end here.
    node.memory.set('a', holder.value);
    await pass(UNNOTICED + 10);
    await release();
    expect([node.memory.get('a'), waiter.grants.length]).toEqual([waiter.claim.value, 1]);
  });

  it('gives the grace to one of whose death the node does not know yet, and to no more of them', async () => {
    const dead = await lineUp(there, 10);
    await lineUp(there, 11);
    there.link.requestsBlockedUntil = world.now + 100;
    dies();
    await release();
    expect([node.memory.get('a'), dead.grants]).toEqual([dead.claim.value, []]);
    await pass(Math.max(GRACE, UNNOTICED) + 10);
    expect(await ask(here, new Claim(['a'], 'newcomer'))).toBe('granted');
  });

  it('serves those who are connected again', async () => {
    const waiter = await lineUp(there, 10);
    there.break();
    await pass(50);
    // A grant counts from the latest answer over the same connection.
    expect(await ask(there, waiter.claim)).toBe('held');
    await release();
    expect([node.memory.get('a'), waiter.grants.length]).toEqual([waiter.claim.value, 1]);
  });

  it('passes over those of before the node was started again, until they are connected again', async () => {
    const waiter = await lineUp(there, 10);
    node.crash();
    node.start('everything');
    here.break();
    await pass(50);
    await release();
    expect([node.memory.get('a'), waiter.grants]).toEqual([undefined, []]);
  });
});
