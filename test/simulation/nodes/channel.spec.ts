import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import type { AcquireAnswer, ReleaseAnswer } from '../../../lib/core/port/lock-node.js';
import { Claim } from '../../../lib/core/port/claim.js';
import { WaiterStub } from '../../support/waiter-stub.js';
import { Dice } from '../world/dice.js';
import { Ledger } from '../judge/ledger.js';
import { rollScenario, MAX_TTL, UNNOTICED } from '../scenario.js';
import { SimulatedClient } from '../simulated-client.js';
import { Pool } from './pool.js';
import { SimulatedNode } from './simulated-node.js';
import { World } from '../world/world.js';

const GRACE = 500;
const CALM = { delay: 1, jitter: 1 };

describe.each([{ tellsFirst: false }, { tellsFirst: true }])('the line of a simulated node: %o', ({ tellsFirst }) => {
  let world: World;
  let node: SimulatedNode;
  let here: SimulatedClient;
  let there: SimulatedClient;
  let holder: Claim;

  beforeEach(async () => {
    world = new World(new Dice(1), () => undefined);
    const terms = { name: 'node', rate: 1, ahead: 0, maxTtl: MAX_TTL };
    node = new SimulatedNode(world, { ...terms, weakness: 'no quarantine', tellsFirst });
    here = await connect('here');
    there = await connect('there');
    holder = new Claim(['a'], 'holder');
    await ask(here, holder);
  });

  async function connect(name: string): Promise<SimulatedClient> {
    const scenario = { ...rollScenario(new Dice(1), 'no quarantine'), zombies: false };
    const client = new SimulatedClient({ world, scenario, pool: new Pool([node]), ledger: new Ledger() }, name);
    for (const { link } of client.connections) Object.assign(link, CALM);
    void client.redlock.open();
    await pass(10);
    return client;
  }

  function dies(): void {
    there.machine.die();
    there.connections[0]!.break();
  }

  async function ask({ nodes }: SimulatedClient, claim: Claim): Promise<AcquireAnswer['kind']> {
    let kind: AcquireAnswer['kind'] | undefined;
    nodes[0]!.acquire(new SingleCall<AcquireAnswer>(claim, 600, (answer) => (kind = answer.kind)), 0);
    await pass(10);
    return kind!;
  }

  async function lineUp(client: SimulatedClient, arrived: number): Promise<WaiterStub> {
    const waiter = new WaiterStub('a', { arrived, ttl: GRACE, value: `waiter-${arrived}` });
    expect(await ask(client, waiter.claim)).toBe('held');
    return waiter;
  }

  async function release(): Promise<void> {
    here.nodes[0]!.release(new SingleCall<ReleaseAnswer>(holder, 600), 0);
    await pass(10);
  }

  const pass = (ms: number) => world.runUntil(world.now + ms);

  it('passes over dead waiters once the node knows of them', async () => {
    for (const arrived of [10, 11, 12]) await lineUp(there, arrived);
    const waiter = await lineUp(here, 20);
    dies();
    // However long the node does not know, the holder has it: its lease does not end here.
    node.memory.set('a', holder.value);
    await pass(UNNOTICED + 20);
    await release();
    expect([node.memory.get('a'), waiter.grants.length]).toEqual([waiter.claim.value, 1]);
  });

  it('gives the grace to one dead waiter whose death the node does not know yet, and to no more of them', async () => {
    const dead = await lineUp(there, 10);
    await lineUp(there, 11);
    there.connections[0]!.link.requestsBlockedUntil = world.now + 100;
    dies();
    await release();
    expect([node.memory.get('a'), dead.grants]).toEqual([dead.claim.value, []]);
    await pass(Math.max(GRACE, UNNOTICED) + 10);
    expect(await ask(here, new Claim(['a'], 'newcomer'))).toBe('granted');
  });

  it('serves waiters that are connected again', async () => {
    const waiter = await lineUp(there, 10);
    there.connections[0]!.break();
    await pass(60);
    // A grant counts from the latest answer over the same connection.
    expect(await ask(there, waiter.claim)).toBe('held');
    await release();
    expect([node.memory.get('a'), waiter.grants.length]).toEqual([waiter.claim.value, 1]);
  });

  it('passes over waiters from before a restart of the node until they are connected again', async () => {
    const waiter = await lineUp(there, 10);
    node.crash();
    node.start('everything');
    here.connections[0]!.break();
    await pass(60);
    await release();
    expect([node.memory.get('a'), waiter.grants]).toEqual([undefined, []]);
  });

  it(`tells the waiter of a grant ${tellsFirst ? 'before' : 'behind'} the answer to the batch that made the grant`, async () => {
    // From now on it is known how the node signs.
    here.nodes[0]!.release(new SingleCall<ReleaseAnswer>((await lineUp(here, 9)).claim, 600), 0);
    const told: string[] = [];
    const waiter = new WaiterStub('a', { arrived: 10, ttl: GRACE, value: 'waiter' });
    jest.spyOn(waiter, 'granted').mockImplementation(() => void told.push('turn'));
    here.nodes[0]!.acquire(new SingleCall<AcquireAnswer>(waiter.claim, 600, ({ kind }) => told.push(kind)), 0);
    here.nodes[0]!.release(new SingleCall<ReleaseAnswer>(holder, 600, ({ kind }) => told.push(kind)), 0);
    await pass(20);
    expect(told).toEqual(tellsFirst ? ['turn', 'held', 'released'] : ['held', 'released', 'turn']);
  });
});
