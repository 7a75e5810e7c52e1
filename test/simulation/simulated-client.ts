import { Redlock } from '../../lib/core/redlock.js';
import type { Dice } from './dice.js';
import type { Holder, Ledger } from './ledger.js';
import { Machine } from './machine.js';
import { MAX_TTL, rollClock, type Scenario } from './scenario.js';
import { SimulatedConnection } from './simulated-connection.js';
import type { SimulatedNode } from './simulated-node.js';
import { Violation } from './violation.js';
import type { World } from './world.js';
import { Work } from './work.js';

export interface Surroundings {
  readonly world: World;
  readonly scenario: Scenario;
  readonly nodes: readonly SimulatedNode[];
  readonly ledger: Ledger;
}

/** One process that takes locks: its own core, its own clocks, its own connections. */
export class SimulatedClient implements Holder {
  readonly machine: Machine;
  readonly connections: readonly SimulatedConnection[];
  readonly redlock: Redlock;
  readonly dice: Dice;
  /** Callers that are still at work. */
  busy = 0;

  constructor(
    readonly around: Surroundings,
    readonly name: string,
  ) {
    const { world, scenario, nodes } = around;
    this.dice = world.dice.fork(name);
    this.machine = new Machine(world, rollClock(this.dice, name));
    const link = { delay: this.dice.between(0.2, 2), jitter: this.dice.pick([1, 4, 25]) };
    const blocks = { requestsBlockedUntil: 0, repliesBlockedUntil: 0, zombies: scenario.zombies };
    const { weakness } = scenario;
    this.connections = nodes.map(
      (node) => new SimulatedConnection(world, { machine: this.machine, node, link: { ...link, ...blocks }, weakness }),
    );
    this.redlock = new Redlock({
      nodes: this.connections,
      clock: this.machine,
      random: this.dice.fork(name),
      nodeTimeout: scenario.nodeTimeout,
      maxTtl: MAX_TTL,
      defaults: { retryDelay: this.dice.pick([30, 100, 200]), retryJitter: 20, maxHold: 900 },
    });
  }

  get isLate(): boolean {
    return this.machine.isLate;
  }

  /** Takes locks one after the other, with as many callers as the scenario says, until `end`. */
  start(end: number): void {
    for (let caller = 0; caller < this.around.scenario.callers; caller += 1) {
      this.busy += 1;
      new Work(this).run(end).then(
        () => (this.busy -= 1),
        (error: Error) => this.around.world.fail(new Violation('known errors only', error.stack ?? String(error))),
      );
    }
  }

  /** The process is gone, with all that it knew. */
  crash(): void {
    this.machine.die();
    this.busy = 0;
    this.around.ledger.endedAllOf(this);
    for (const connection of this.connections) connection.break('gone');
  }

  /** Closes the pool; resolves when that is done. */
  close(): Promise<void> {
    return this.redlock.close();
  }
}
