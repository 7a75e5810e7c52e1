import { Claim } from '../../../lib/core/port/claim.js';
import type { Dice } from '../world/dice.js';
import { MAX_TTL, SET_FORWARD, type Scenario } from '../scenario.js';
import type { SimulatedNode, Trouble } from '../nodes/simulated-node.js';
import type { SimulatedClient } from '../simulated-client.js';
import { nodesOf, type Victims } from './victims.js';

/** Ms: for how long a clock is forward, in which all clients ask. */
const LONGEST_FORWARD = 900;

/** Nodes answer with errors for a while. */
export function troubleNodes(victims: Victims, dice: Dice): void {
  const trouble = dice.pick<Trouble>(['BUSY', 'MISCONF', 'MISCONF']);
  for (const node of nodesOf(victims, dice)) {
    const length = dice.between(5, dice.pick([60, 300, 900]));
    victims.world.note(() => `### ${node.name} answers ${trouble} for ${length.toFixed(1)} ms`);
    node.trouble = trouble;
    victims.world.in(length, () => (node.trouble = undefined));
  }
}

export function forgetScripts(victims: Victims, dice: Dice): void {
  for (const node of nodesOf(victims, dice)) {
    victims.world.note(() => `### ${node.name} forgets the script`);
    node.knowsScript = false;
  }
}

/** Ms by which what a client knows of a clock may be off. */
const TOLERANCE = 50;

/**
 * A node's clock is set forward, so that its leases end early, and set right later. Every client has to have asked the
 * node before, and since its clock was last set right: one that has not knows nothing of it, as `docs/trust.md` says; nor
 * does one that asks only once it is right again.
 */
export function setForward(victims: Victims, dice: Dice): void {
  const { world, clients, end } = victims;
  if (world.now + LONGEST_FORWARD + MAX_TTL > end) return;
  for (const node of nodesOf(victims, dice)) {
    if (!clients.every((client) => knowsClock(client, node)) || !node.answers || node.clock.forward > 0) continue;
    const step = dice.between(...SET_FORWARD);
    world.note(() => `### the wall clock of ${node.name} is set forward by ${step.toFixed(1)} ms`);
    node.clock.forward = step;
    world.in(dice.between(500, LONGEST_FORWARD), () => {
      world.note(() => `### the wall clock of ${node.name} is set right`);
      node.clock.forward = 0;
    });
  }
}

/** Whether a client is connected to the node, and has seen what time it has now. */
function knowsClock({ connections, nodes, machine }: SimulatedClient, node: SimulatedNode): boolean {
  const ahead = node.clock.now().wall - machine.now().monotonic;
  return connections.every((one, index) => {
    if (one.node !== node) return true;
    const { least = Infinity, most = -Infinity } = nodes[index]!.clockAhead ?? {};
    return one.isReady && least - TOLERANCE <= ahead && ahead <= most + TOLERANCE;
  });
}

/** One of a client's addresses leads to another node for a while, as after a failover: usually to one that has an address already. */
export function moveAddress({ world, nodes, clients, end }: Victims, dice: Dice): void {
  const { name, connections, redlock } = dice.pick(clients);
  const moved = dice.pick(connections);
  const to = dice.pick(nodes);
  const length = dice.between(20, dice.pick([100, 400, 900]));
  const isUsable = (): boolean => connections.every(({ isReady, isMoved }) => isReady && !isMoved);
  if (!isUsable()) return;
  // While it starts, a client refuses two addresses of one server. It may still start when all connections are ready, because a node that is
  // busy has not yet said which server it is.
  void redlock.open().then(() => {
    if (world.now >= end || !isUsable()) return;
    world.note(() => `### for ${name} the address of ${moved.name} leads to ${to.name} for ${length.toFixed(1)} ms`);
    moved.leadTo(to);
    world.in(length, () => moved.leadTo());
  });
}

/** Others take so many tokens of the counters that a lock shares with them that these are ahead of the clock, if the node lets them. */
export function useUpTokens(victims: Victims, dice: Dice, { resources }: Scenario): void {
  const resource = dice.pick(resources);
  const ahead = dice.pick([dice.between(0, 400), dice.between(0, 400), dice.between(400, 2_500)]);
  for (const { name, memory, wall } of nodesOf(victims, dice)) {
    const answer = ({ kind }: { readonly kind: string }): void =>
      victims.world.note(
        () => `### others take tokens of ${resource} up to ${ahead.toFixed(1)} ms ahead on ${name}: ${kind}`,
      );
    const proposal = Math.round((wall + ahead) * 1_000);
    const question = { claim: new Claim([resource], 'others'), ttl: 0, proposal, tokens: 1 };
    memory.raise({ ...question, answer: (_nodeIndex, given) => answer(given) }, 0);
  }
}
