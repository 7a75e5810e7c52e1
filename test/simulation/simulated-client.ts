import { Redlock } from '../../lib/core/redlock.js';
import type { ConnectionListener } from '../../lib/redis/connection/connection.js';
import type { NodeParts } from '../../lib/redis/connection/node-parts.js';
import { noting } from '../../lib/redis/note-on-node.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import { BatchTurn } from './world/batch-turn.js';
import type { Dice } from './world/dice.js';
import { Habits } from './habits.js';
import type { Holder, Ledger } from './judge/ledger.js';
import { Machine } from './world/machine.js';
import { MarkedValues, noteOf } from './marked-values.js';
import { MAX_TTL, rollClock, type Scenario } from './scenario.js';
import { SimulatedEncoder, type Teller } from './nodes/sent-batch.js';
import { SimulatedConnection } from './nodes/simulated-connection.js';
import type { Pool } from './nodes/pool.js';
import { Violation } from './judge/violation.js';
import type { World } from './world/world.js';
import { Work } from './work.js';

export interface Surroundings {
  readonly world: World;
  readonly scenario: Scenario;
  readonly pool: Pool;
  readonly ledger: Ledger;
}

/** One process that takes locks: its own core, its own clocks, its own connections. */
export class SimulatedClient implements Holder {
  readonly machine: Machine;
  readonly connections: SimulatedConnection[] = [];
  readonly nodes: readonly RedisNode[];
  readonly redlock: Redlock;
  readonly dice: Dice;
  readonly habits: Habits;
  /** Callers that are still at work. */
  busy = 0;
  /** Whether most answers take longer than `nodeTimeout`, so that each round is a matter of luck. */
  needsLuck = false;

  constructor(
    readonly context: Surroundings,
    readonly name: string,
  ) {
    const { world, scenario } = context;
    this.dice = world.dice.fork(name);
    this.machine = new Machine(world, rollClock(this.dice, name, scenario));
    this.nodes = this.#makeNodes();
    this.habits = new Habits(this);
    this.redlock = new Redlock({
      nodes: this.nodes,
      clock: this.machine,
      random: scenario.leavesNotes ? new MarkedValues(name, this.dice.fork(name)) : this.dice.fork(name),
      listener: () => this.habits.perhapsCompute(0.2),
      nodeTimeout: scenario.nodeTimeout,
      maxTtl: MAX_TTL,
      defaults: { quorumTimeout: Infinity, retryDelay: this.dice.pick([30, 100, 200]), retryJitter: 20, maxHold: 900 },
    });
  }

  /** The library's own nodes, over connections of the simulation. */
  #makeNodes(): RedisNode[] {
    const { world, scenario, pool } = this.context;
    const { machine } = this;
    const { weakness } = scenario;
    const clock = new BatchTurn(machine);
    const tell: Teller = (name, claim, grant) => pool.servers.find((one) => one.name === name)!.grant(claim, grant);
    const trust = { maxTtl: MAX_TTL, restartQuarantine: weakness !== 'no quarantine' };
    const encoder = new SimulatedEncoder(this.name, trust, { clock, tell });
    const link = { delay: this.dice.between(0.2, 2), jitter: this.dice.pick([1, 4, 25]) };
    this.needsLuck = 2 * (link.delay + link.jitter / 4) > (scenario.nodeTimeout ?? Infinity);
    const blocks = { requestsBlockedUntil: 0, repliesBlockedUntil: 0, zombies: scenario.zombies };
    return pool.addresses.map((address) => {
      const terms = { machine, address, link: { ...link, ...blocks }, weakness };
      const connect = (_address: unknown, listener: ConnectionListener): SimulatedConnection => {
        const connection = new SimulatedConnection(world, terms, listener);
        this.connections.push(connection);
        return connection;
      };
      return new RedisNode(
        { name: address.name, identity: address.name, options: {} },
        encoder,
        this.#noting({ clock, connect }),
      );
    });
  }

  #noting(parts: NodeParts): NodeParts {
    if (!this.context.scenario.leavesNotes) return parts;
    const { processMark } = new MarkedValues(this.name, this.dice);
    return noting(parts, noteOf(this.name), { keyPrefix: '', processMark, maxTtl: MAX_TTL });
  }

  get isLate(): boolean {
    return this.machine.isLate;
  }

  get isSuspended(): boolean {
    return this.machine.suspension.isOn;
  }

  get isComputing(): boolean {
    return this.machine.isComputing;
  }

  get time(): number {
    return this.machine.time;
  }

  /** Takes locks one after the other, with as many callers as the scenario says, until `end`. */
  work(end: number): void {
    this.habits.end = end;
    this.habits.stray();
    for (let caller = 0; caller < this.context.scenario.callers; caller += 1) {
      this.start(() => new Work(this).run(end));
    }
  }

  /** One more caller. */
  start(caller: () => Promise<void>): void {
    this.busy += 1;
    caller().then(
      () => (this.busy -= 1),
      (error: Error) => this.context.world.fail(new Violation('known errors only', error.stack ?? String(error))),
    );
  }

  /** Ends the simulation where `look` finds a violation. */
  judge(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.context.world.fail(error as Error);
    }
  }

  /** One of its callers computes for so long, while the whole process stands still. */
  compute(ms: number): void {
    this.context.ledger.computes(this);
    this.machine.compute(ms);
  }

  /** All that the nodes say to it comes that much later; it may have asked again by then. */
  holdUpReplies(ms: number): void {
    const { world } = this.context;
    world.note(() => `### all replies to ${this.name} are held up for ${ms.toFixed(1)} ms`);
    for (const { link } of this.connections) link.repliesBlockedUntil = world.now + ms;
  }

  /** The process is gone, with all that it knew. */
  crash(): void {
    this.machine.die();
    this.busy = 0;
    this.context.ledger.endedAllOf(this);
    for (const connection of this.connections) connection.break('gone');
  }

  /** Closes the pool; resolves when that is done. */
  close(): Promise<void> {
    return this.redlock.close();
  }
}
