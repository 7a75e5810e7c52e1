import { STALEMATE_GRACE } from '../../lib/core/acquire/line/stalemate.js';
import { Contexts } from './world/contexts.js';
import { Dice } from './world/dice.js';
import { healAll, planFaults } from './faults/faults.js';
import { planMovesToSpare } from './faults/moves-to-spare.js';
import { Ledger, type Judge } from './judge/ledger.js';
import { releaseRefused, takeForRelease } from './nodes/refused-release.js';
import { MAX_TTL, rollScenario, LARGEST_STEP, UNNOTICED, type Scenario } from './scenario.js';
import { SimulatedClient } from './simulated-client.js';
import { rollPool, type Pool } from './nodes/pool.js';
import type { Victims } from './faults/victims.js';
import { Violation } from './judge/violation.js';
import type { Weakness } from './faults/weakness.js';
import { promisesSettled, World } from './world/world.js';

/** Ms within which each caller has its answer once all is healed: the longest wait, hold and quarantine in sequence. */
const ANSWERED_WITHIN = 8_000;
/**
 * Ms that a newcomer may have to wait: until nodes know of all waiters that died in line, each of which gets the grace
 * before that, then for the last grace and the last lease of the dead, and for some rounds.
 */
const NEWCOMER_WAITS = UNNOTICED + STALEMATE_GRACE + MAX_TTL + 1_200;
/** Ms more for a newcomer whose rounds are a matter of luck. It waits for half a second on average, and one in ten thousand for 5 s. */
const LUCK = 15_000;
/** Ms after which whatever was sent has arrived: what was held up, and then came out of a broken connection late. */
const STRAGGLERS = 2_000;

/** Every so manyth seed has real async contexts. */
const REAL_CONTEXTS = 10;

export interface SimulationOptions {
  /** Goes without a protection. */
  readonly weakness?: Weakness | undefined;
  readonly judge?: Judge | undefined;
  readonly traced?: boolean;
  /** Real async contexts, of which no simulated work asks anything, but which take their time. @default every tenth seed */
  readonly contexts?: boolean;
}

export interface Outcome {
  readonly seed: number;
  /** What went wrong. */
  readonly failure: Error | undefined;
  readonly events: number;
  readonly holds: number;
  readonly trace: readonly string[];
}

/** One course of events, which the seed repeats exactly. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Outcome> {
  const contexts = new Contexts(options.contexts ?? seed % REAL_CONTEXTS === 0);
  const simulation = new Simulation(seed, options);
  let failure: Error | undefined;
  try {
    await simulation.run();
  } catch (error) {
    failure = error as Error;
  } finally {
    contexts.end();
  }
  const { world, ledger } = simulation;
  return { seed, failure, events: world.events, holds: ledger.holds, trace: world.trace };
}

class Simulation {
  readonly world: World;
  readonly ledger: Ledger;
  readonly #scenario: Scenario;
  readonly #pool: Pool;
  readonly #clients: SimulatedClient[] = [];
  #processes = 0;
  #end = 0;

  constructor(seed: number, { weakness, judge, traced }: SimulationOptions) {
    this.ledger = new Ledger(judge);
    const dice = new Dice(seed);
    this.#scenario = rollScenario(dice, weakness);
    this.world = new World(dice, () => this.ledger.check(), traced);
    this.#pool = rollPool(this.world, this.#scenario);
    this.world.note(() => `seed ${seed}: ${JSON.stringify(this.#scenario)}`);
  }

  async run(): Promise<void> {
    const { world } = this;
    // The quarantine of the first start begins with the first question.
    for (const { memory } of this.#pool.nodes) memory.probe(() => undefined);
    const start = world.dice.chance(0.9) ? MAX_TTL * 1.02 : 0;
    this.#end = start + this.#scenario.length;
    await world.runUntil(start);
    for (let client = 0; client < this.#scenario.clients; client += 1) this.#startClient();
    const victims = this.#victims();
    planFaults(victims, world.dice.fork('faults'), {
      from: 0,
      to: this.#scenario.length,
      count: this.#scenario.faults,
    });
    if (this.#scenario.hasSpare) planMovesToSpare(victims, world.dice.fork('moves'));
    await world.runUntil(this.#end);
    healAll(victims);
    await this.#everyoneAnswered();
    await this.#newcomerServed();
    await this.#refusedReleases();
    await this.#allClosed();
    await this.#nothingLeft();
  }

  #startClient(): void {
    const { world, ledger } = this;
    this.#processes += 1;
    const context = { world, scenario: this.#scenario, pool: this.#pool, ledger };
    const client = new SimulatedClient(context, `process-${this.#processes}`);
    this.#clients.push(client);
    client.work(this.#end);
  }

  #victims(): Victims {
    const replace = (client: SimulatedClient): void => {
      this.world.note(() => `### ${client.name} dies`);
      client.crash();
      this.#clients.splice(this.#clients.indexOf(client), 1);
      this.#startClient();
    };
    return {
      world: this.world,
      scenario: this.#scenario,
      end: this.#end,
      pool: this.#pool,
      nodes: this.#pool.nodes,
      clients: this.#clients,
      replace,
    };
  }

  async #everyoneAnswered(): Promise<void> {
    const isDone = (): boolean => this.#clients.every(({ busy }) => busy === 0);
    await this.world.runUntil(this.#end + ANSWERED_WITHIN, isDone);
    const stuck = this.#clients.filter(({ busy }) => busy > 0).map(({ name }) => name);
    if (stuck.length > 0) throw new Violation('everyone is answered', `${stuck.join()} still waits`);
  }

  /** Whatever happened, a free resource can be had again. */
  async #newcomerServed(): Promise<void> {
    const { world, ledger } = this;
    // A newcomer does not know that an address has just moved to another server.
    if (this.#scenario.hasSpare) await world.runUntil(this.#end + MAX_TTL * 1.02);
    const context = { world, scenario: this.#scenario, pool: this.#pool, ledger };
    const newcomer = new SimulatedClient(context, 'newcomer');
    this.#clients.push(newcomer);
    const waitTimeout = NEWCOMER_WAITS + (newcomer.needsLuck ? LUCK : 0);
    for (const resource of this.#scenario.resources) {
      const lock = newcomer.redlock.acquire(resource, { ttl: 300, waitTimeout });
      const served = lock.then(async (held) => {
        ledger.began(newcomer, held);
        ledger.ended(held);
        await held.release();
      });
      await this.#settled(served, waitTimeout + 1_000).catch((error: Error) => {
        throw error instanceof Violation ? error : new Violation('free locks can be had', error.message);
      });
    }
  }

  /** What nodes refuse to give back is given back as soon as they do so again. */
  async #refusedReleases(): Promise<void> {
    const { world } = this;
    if (world.dice.chance(0.7)) return;
    const lock = await this.#settled(takeForRelease(this.#clients.at(-1)!), 1_000);
    const released = await releaseRefused(lock, { world, nodes: this.#pool.servers });
    await this.#settled(released(), 1_000);
  }

  async #allClosed(): Promise<void> {
    await this.#settled(Promise.all(this.#clients.map((client) => client.close())), 2_000);
    const left = this.#clients.filter(({ machine }) => machine.timers > 0).map(({ name }) => name);
    if (left.length > 0) throw new Violation('no timer left', `${left.join()} still has timers set`);
  }

  async #nothingLeft(): Promise<void> {
    await this.world.runUntil(this.world.now + STRAGGLERS + (MAX_TTL + 2 * LARGEST_STEP) * 1.01);
    for (const { name, memory } of this.#pool.servers) {
      for (const resource of this.#scenario.resources) {
        const value = memory.get(resource);
        if (value !== undefined) throw new Violation('no lock left', `${name} keeps ${resource} for ${value}`);
      }
    }
  }

  /** Lets time pass until `promise` is settled. */
  async #settled<T>(promise: Promise<T>, limit: number): Promise<T> {
    const settled = new AbortController();
    const settle = (): void => settled.abort();
    promise.then(settle, settle);
    // What needs no event needs no time.
    await promisesSettled();
    await this.world.runUntil(this.world.now + limit, () => settled.signal.aborted);
    if (!settled.signal.aborted) throw new Violation('everyone is answered', 'a promise stays open');
    return promise;
  }
}
