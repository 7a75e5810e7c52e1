import type { Dice } from '../world/dice.js';
import type { Machine } from '../world/machine.js';
import { forgetScripts, moveAddress, setForward, troubleNodes, useUpTokens } from './node-faults.js';
import { LARGEST_STEP, type Scenario } from '../scenario.js';
import type { Memory } from '../nodes/simulated-node.js';
import { connectionsOf, nodesOf, type Victims } from './victims.js';

type Fault = (victims: Victims, dice: Dice) => void;

function pauseClient({ world, clients }: Victims, dice: Dice, suspended: boolean): void {
  const client = dice.pick(clients);
  const length = dice.between(1, dice.pick([20, 300, 900]));
  world.note(() => `### ${client.name} stands still for ${length.toFixed(1)} ms${suspended ? ', suspended' : ''}`);
  client.machine.pause(suspended);
  world.in(length, () => client.machine.resume());
}

function pauseNodes(victims: Victims, dice: Dice): void {
  for (const node of nodesOf(victims, dice)) {
    const length = dice.between(1, dice.pick([20, 300, 1_200]));
    victims.world.note(() => `### ${node.name} stands still for ${length.toFixed(1)} ms`);
    node.pause();
    victims.world.in(length, () => node.resume());
  }
}

function crashNodes(victims: Victims, dice: Dice): void {
  const { world, clients } = victims;
  for (const node of nodesOf(victims, dice)) {
    const memory = dice.pick<Memory>(['everything', 'nothing', 'nothing', 'an old snapshot']);
    world.note(() => `### ${node.name} crashes, and will remember ${memory}`);
    node.crash();
    for (const { connections } of clients) for (const one of connections) if (one.node === node) one.break();
    // Whatever is wrong with its clock when it comes back, it does not vote before all leases from before are over.
    if (dice.chance(0.3)) node.machine.stepWall(dice.between(-LARGEST_STEP, LARGEST_STEP));
    world.in(dice.between(0, dice.pick([5, 200])), () => node.start(memory));
  }
}

function flushNodes(victims: Victims, dice: Dice): void {
  for (const node of nodesOf(victims, dice)) {
    victims.world.note(() => `### ${node.name} is flushed`);
    node.flush();
  }
}

/** A node's clock goes back only: no check notices so small a step forward, which ends leases early. */
function stepClocks({ world, nodes, clients }: Victims, dice: Dice): void {
  const isNode = dice.chance(0.5);
  const { machine } = dice.pick<{ readonly machine: Machine }>(isNode ? nodes : clients);
  const step = dice.between(-LARGEST_STEP, isNode ? 0 : LARGEST_STEP);
  world.note(() => `### the wall clock of ${machine.name} is set by ${step.toFixed(1)} ms`);
  machine.stepWall(step);
}

function breakConnections(victims: Victims, dice: Dice): void {
  for (const connection of connectionsOf(victims, dice)) {
    victims.world.note(() => `### a connection to ${connection.name} breaks`);
    connection.break();
  }
}

function block(victims: Victims, dice: Dice): void {
  const { world } = victims;
  const [requests, replies] = dice.pick([
    [true, false],
    [false, true],
    [true, true],
  ] as const);
  for (const { name, link } of connectionsOf(victims, dice)) {
    const until = world.now + dice.between(5, dice.pick([40, 300, 1_200]));
    world.note(() => `### ${requests ? 'requests' : ''} ${replies ? 'replies' : ''} of ${name} held up till ${until}`);
    if (requests) link.requestsBlockedUntil = until;
    if (replies) link.repliesBlockedUntil = until;
  }
}

function slowDown(victims: Victims, dice: Dice): void {
  for (const { link } of connectionsOf(victims, dice)) link.jitter = dice.pick([1, 10, 80]);
}

function replaceClient({ clients, replace }: Victims, dice: Dice): void {
  replace(dice.pick(clients));
}

/** Whatever any clocks do. */
const USUAL: readonly Fault[] = [
  pauseNodes,
  crashNodes,
  crashNodes,
  flushNodes,
  ({ nodes }, dice) => dice.pick(nodes).saveSnapshot(),
  breakConnections,
  breakConnections,
  slowDown,
  troubleNodes,
  forgetScripts,
  moveAddress,
];

const FAULTS: Readonly<Record<Scenario['clocks'], readonly Fault[]>> = {
  wrong: [
    ...USUAL,
    (victims, dice) => pauseClient(victims, dice, false),
    (victims, dice) => pauseClient(victims, dice, true),
    block,
    ({ clients }, dice) => dice.pick(clients).holdUpReplies(dice.between(100, 350)),
    stepClocks,
    replaceClient,
    (victims, dice) => useUpTokens(victims, dice, victims.scenario),
  ],
  // A new process would not notice that, and one that reads an answer late not surely.
  'set forward': [...USUAL, setForward, setForward, setForward],
};

/**
 * What goes without where an address moves to a spare server: a process that is just started does not know that, and a client of which another
 * address leads to one of these servers takes votes of it that no other client knows of.
 */
const NOT_WITH_SPARE: ReadonlySet<Fault> = new Set<Fault>([replaceClient, moveAddress]);

/** Plans so many faults; each seed prefers a few kinds, since some do harm only together or again and again. */
export function planFaults(victims: Victims, dice: Dice, { from, to, count }: Span): void {
  const { clocks, hasSpare } = victims.scenario;
  const faults = FAULTS[clocks].filter((fault) => !hasSpare || !NOT_WITH_SPARE.has(fault));
  const preferred = [dice.pick(faults), dice.pick(faults), dice.pick(faults)];
  for (let fault = 0; fault < count; fault += 1) {
    const strike = dice.pick(dice.chance(0.7) ? preferred : faults);
    victims.world.in(dice.between(from, to), () => strike(victims, dice));
  }
}

export interface Span {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** From now on nothing is broken. */
export function healAll({ world, nodes, clients }: Victims): void {
  world.note(() => '### all is healed');
  for (const node of nodes) {
    node.start('everything');
    node.resume();
    node.trouble = undefined;
  }
  for (const { machine, connections } of clients) {
    machine.resume();
    for (const connection of connections) {
      const { link } = connection;
      connection.leadTo();
      link.requestsBlockedUntil = 0;
      link.repliesBlockedUntil = 0;
      link.jitter = 1;
    }
  }
}
