import { dice } from './agenda.js';
import { World, type Process, type SimulatedNode } from './world.js';
import { OnceCallers } from './once.js';
import type { Lock } from '../../lib/engine/lock.js';

/** A holder as the judge sees it. */
interface Holder {
  readonly process: Process | undefined;
  isValid(): boolean;
  /** Whether its signal has said that the lock is over; undefined if it does not listen. */
  readonly isTold?: (() => boolean) | undefined;
}

/** A caller that waits for a resource. */
interface Ask {
  readonly resource: string;
  readonly process: Process;
  readonly at: number;
}

/** Looks at every grant: exclusion by the holders' own clocks, tokens, validity at delivery, and whether a loss was told before. */
export class Judge {
  readonly violations: string[] = [];
  grants = 0;
  readonly #holders = new Map<string, Holder>();
  readonly #tokens = new Map<string, number>();
  readonly #waiting = new Set<Ask>();

  constructor(
    private readonly world: World,
    /** Ms by which a caller may get a lock before an older one. */
    private readonly ahead: number,
  ) {}

  asks(resource: string, process: Process): Ask {
    const ask = { resource, process, at: this.world.time };
    this.#waiting.add(ask);
    return ask;
  }

  /** `isServed` tells whether the caller has got the lock. */
  over(ask: Ask, isServed: boolean): void {
    this.#waiting.delete(ask);
    if (!isServed) return;
    for (const { resource, process, at } of this.#waiting)
      if (resource === ask.resource && !process.isDead && at + this.ahead < ask.at)
        this.violations.push(`OVERTAKEN: p${process.id} by ${ask.at - at} ms, by p${ask.process.id} for ${resource}`);
  }

  granted(resource: string, holder: Holder, token: number | undefined): void {
    const at = this.world.time.toFixed(1);
    this.grants += 1;
    if (!holder.isValid()) this.violations.push(`invalid when given: ${resource} at ${at}`);
    const other = this.#holders.get(resource);
    const who = `p${holder.process?.id} and p${other?.process?.id}`;
    if (other?.process?.isDead !== true && other?.isValid() === true)
      this.violations.push(`TWO HOLDERS of ${resource} at ${at}: ${who}`);
    // A process that stands still is told as soon as it goes on.
    const stood = other?.process !== undefined && other.process.pausedUntil >= this.world.time - 1;
    if (other?.process?.isDead === false && !stood && other.isTold?.() === false)
      this.violations.push(`NOT TOLD of its loss of ${resource} at ${at}: ${who}`);
    this.#holders.set(resource, holder);
    if (token === undefined) return;
    const latest = this.#tokens.get(resource) ?? 0;
    if (token <= latest) this.violations.push(`TOKEN ${token} after ${latest} of ${resource} at ${at}`);
    this.#tokens.set(resource, token);
  }
}

/** Ms by which a caller may go before an older one of another process. */
const AHEAD = 50;
/** In how many ways of usual length all nodes know all places: some ways take ten times as long, and several may do so in turn. */
const SLOW_TRIPS = 40;

/** How often a fault tries to let a node forget, and ms between. */
const FORGETS = 20;
const WAIT_TO_FORGET = 10;

/** Ms between two calls of a caller that does its work once, at most. */
const BETWEEN_CALLS = 150;

const CHOICES = {
  nodes: [1, 2, 3, 3, 4, 5, 5, 5, 5, 7],
  delay: [0.1, 0.5, 2, 8],
  ttl: [200, 500, 1_000, 3_000],
  tail: [0, 0.02, 0.1],
  loss: [0, 0, 0.1, 0.5, 1],
  rates: [0, 0.002, 0.004],
  processes: [2, 3, 5, 8],
  workers: [1, 1, 2, 4],
  resources: [1, 1, 2],
  tries: [0, 0.2],
  several: [0, 0, 0.3],
  foreign: [0, 0, 0, 1],
  waits: [Infinity, Infinity, 300],
  hold: [1, 5, 30],
  think: [0, 0, 5, 50],
  forget: [0, 0, 0.02],
  reorder: [0, 0, 1],
  faultRate: [0, 1, 3, 8],
  length: [1_500, 4_000],
  wall: [0, 0, 1],
  wallRates: [0, 0, 0.0009],
  blocks: [0, 0, 0, 0.01],
  /** The share of calls whose work is to be done once for a key. Which worlds have some: see `choose`. */
  once: [0.5, 1, 1],
  /** The share of this work that fails. */
  fails: [0, 0, 0.2],
};
export type Choices = { readonly [name in keyof typeof CHOICES]: number };

/** Every so many worlds one has callers that do their work once. */
const ONCE_IN = 4;

function choose(seed: number, fixed: Partial<Choices>): Choices {
  const random = dice(seed * 7 + 3);
  const entries = Object.entries(CHOICES).map(([name, values]) => [
    name,
    values[Math.floor(random() * values.length)]!,
  ]);
  const chosen = Object.fromEntries(entries) as Choices;
  return { ...chosen, ...(seed % ONCE_IN === 0 ? {} : { once: 0 }), ...fixed };
}

/** What became of a world. */
export interface Result {
  readonly choices: Choices;
  readonly grants: number;
  /** How many callers were told an answer. */
  readonly told: number;
  readonly violations: readonly string[];
}

const FAULTS = ['down', 'forget', 'freeze', 'link', 'kill', 'pause', 'pause', 'link', 'longpause'];
const CLOCK_FAULTS = ['wall', 'wall', 'wall', 'suspend', 'suspend'];

/** Runs one small world with faults, and judges it. */
export class Model {
  readonly world: World;
  readonly judge: Judge;
  readonly #choices: Choices;
  readonly #resources: readonly string[];
  readonly #once: OnceCallers;
  #isWorking = true;
  #holding = 0;

  constructor(seed: number, fixed: Partial<Choices> = {}) {
    const choices = (this.#choices = choose(seed, fixed));
    const { nodes, delay, tail, loss, rates, wallRates, blocks, ttl } = choices;
    const nodeTimeout = Math.max(10, delay * 6);
    const terms = {
      nodes,
      delay,
      tail,
      loss,
      rates,
      wallRates,
      blocks,
      maxTtl: ttl,
      nodeTimeout,
      reorder: choices.reorder === 1,
    };
    this.world = new World(seed, terms);
    this.#once = new OnceCallers(this.world, choices);
    const { faultRate, forget, foreign } = choices;
    const isOrderly = faultRate + forget + foreign + loss + blocks === 0 && choices.waits > choices.length;
    this.judge = new Judge(this.world, isOrderly ? AHEAD + SLOW_TRIPS * delay : Infinity);
    this.#resources = ['a', 'b'].slice(0, choices.resources);
  }

  async run(): Promise<Result> {
    const { world, judge } = this;
    const choices = this.#choices;
    for (let count = 0; count < choices.processes; count += 1) this.#start();
    if (choices.foreign === 1) this.#foreign();
    if (choices.faultRate > 0) world.after(100, () => this.#fault());
    await world.run(choices.length);
    this.#isWorking = false;
    world.loss = 0;
    const open = (): number =>
      world.processes.filter(({ isDead }) => !isDead).reduce((sum, { open: one }) => sum + one, 0);
    const left = open();
    await world.run(world.time + 60_000, () => open() === 0);
    if (open() > 0) judge.violations.push(`STUCK: ${open()} of ${left} callers still wait 60 s after the faults`);
    const { faultRate, forget, foreign, loss, blocks } = choices;
    if (faultRate + forget + foreign + loss + blocks === 0) await this.#lookBehind();
    const { told, violations } = this.#once.judge;
    return { choices, grants: judge.grants, told, violations: [...judge.violations, ...violations] };
  }

  /** Without faults, and without lost messages (whose votes stay for one ttl), nothing is left on a node once everybody has finished. */
  async #lookBehind(): Promise<void> {
    const { world, judge } = this;
    await world.run(world.time + 60_000, () => this.#holding === 0);
    await world.run(world.time + 100 + 60 * this.#choices.delay);
    for (const node of world.nodes)
      for (const resource of this.#resources) {
        const left = node.data.read(resource)?.value;
        if (left !== undefined) judge.violations.push(`LEFT BEHIND: ${left} under ${resource} on node ${node.index}`);
      }
  }

  #start(): void {
    const process = this.world.start();
    for (let worker = 0; worker < this.#choices.workers; worker += 1) void this.#work(process);
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.world.random() * list.length)]!;
  }

  async #work(process: Process): Promise<void> {
    const { world } = this;
    await world.sleep(process, world.random() * 20);
    while (this.#isWorking) {
      if (this.#choices.once > 0 && world.random() < this.#choices.once) {
        process.open += 1;
        await this.#once.call(process);
        process.open -= 1;
        await world.sleep(process, BETWEEN_CALLS * world.random() + 1);
        continue;
      }
      process.open += 1;
      const lock = await this.#acquire(process);
      process.open -= 1;
      this.#holding += 1;
      if (lock !== undefined) await this.#hold(process, lock);
      this.#holding -= 1;
      await world.sleep(process, this.#choices.think * world.random() + 0.01);
    }
  }

  async #acquire(process: Process): Promise<Lock | undefined> {
    const { world, judge } = this;
    const { redlock } = process;
    const { ttl, tries, waits, several, forget } = this.#choices;
    const resources = world.random() < several ? [...this.#resources].reverse() : [this.#pick(this.#resources)];
    const waitTimeout = world.random() < tries ? 0 : waits === Infinity ? Infinity : waits * world.random() + 1;
    const autoExtend = forget === 0 && world.random() < 0.5;
    // Only who waits for one resource has a place in its queue.
    const ask = waitTimeout > 0 && resources.length === 1 ? judge.asks(resources[0]!, process) : undefined;
    const lock = await redlock
      .acquire(resources, { ttl, waitTimeout, autoExtend, retryDelay: 200, retryJitter: 50 })
      .catch(() => undefined);
    if (ask !== undefined) judge.over(ask, lock !== undefined);
    return lock;
  }

  async #hold(process: Process, lock: Lock): Promise<void> {
    const { world, judge } = this;
    const { ttl, hold, forget } = this.#choices;
    let isOver = false;
    const isTold = world.random() < 0.5 ? () => isOver || lock.signal.aborted : undefined;
    void isTold?.();
    for (const resource of lock.resources)
      judge.granted(resource, { process, isValid: () => !isOver && lock.isValid, isTold }, lock.fencingToken);
    const holdFor = world.random() < 0.05 ? ttl * 1.2 * world.random() : hold * world.random();
    await world.sleep(process, holdFor);
    if (world.random() < forget) return;
    isOver = true;
    void lock.release();
  }

  #fault(): void {
    const { world } = this;
    const choices = this.#choices;
    if (world.time > choices.length * 0.7) return;
    const node = this.#pick(world.nodes);
    const process = this.#pick(world.processes);
    const ms = world.random() * 300;
    const kinds = choices.wall === 1 ? [...FAULTS, ...CLOCK_FAULTS] : FAULTS;
    const kind = this.#pick(kinds);
    if (kind === 'down') world.down(node, ms, false);
    if (kind === 'freeze') world.freeze(node, ms * 4);
    if (kind === 'forget') this.#forget(node, ms);
    if (kind === 'link') process.links[node.index]!.break(ms);
    if (kind === 'kill') this.#kill(process);
    if (kind === 'pause') world.pause(process, ms);
    if (kind === 'longpause') world.pause(process, choices.ttl * (0.5 + world.random()));
    if (kind === 'wall') this.#changeWallClock(process);
    // Not covered: a suspension, and a wall clock that is set back during the same lease.
    if (kind === 'suspend' && world.time > process.setBackAt + 4 * choices.ttl)
      world.suspend(process, choices.ttl * 2 * world.random());
    world.after((1_000 / choices.faultRate) * 2 * world.random(), () => this.#fault());
  }

  /** Records are only as safe as the memory of the nodes, and promises too: where there are some, a node forgets when it may. */
  #forget(node: SimulatedNode, ms: number, tries = FORGETS): void {
    const { world } = this;
    const { nodes, once } = this.#choices;
    const away = world.nodes.filter(({ state, data }) => state !== 'up' || data.quarantine > 0).length;
    if (away >= (nodes - 1) >> 1) return;
    if (once > 0 && !this.#once.mayForget(node.index)) {
      if (tries > 1) world.after(WAIT_TO_FORGET, () => this.#forget(node, ms, tries - 1));
      return;
    }
    // At once, so that nobody counts on what it has while it is down.
    if (once > 0 && node.state === 'up') node.data.clear(0);
    world.down(node, ms, true);
  }

  #kill(process: Process): void {
    const { world } = this;
    if (world.processes.filter(({ isDead }) => !isDead).length < 2) return;
    world.kill(process, world.random() < 0.7 ? 5 : 1_500);
    if (world.random() < 0.5) this.#start();
  }

  #changeWallClock(process: Process): void {
    const { world } = this;
    const { ttl } = this.#choices;
    const step = this.#pick([3_600_000, -3_600_000, -process.step, ttl * world.random(), -ttl * world.random()]);
    if (step <= 0 && world.time <= process.wokeAt + 4 * ttl) return;
    process.step += step;
    if (step < 0) process.setBackAt = world.time;
  }

  /** A client of another library: it asks all nodes, and deletes what it has; it knows no queues and no messages. */
  #foreign(): void {
    if (!this.#isWorking) return;
    const { world, judge } = this;
    const { ttl } = this.#choices;
    const [resource] = this.#resources;
    const value = `foreign-${world.time}`;
    const until = world.time + ttl * 0.99 - 2;
    let [votes, heard, isOver] = [0, 0, false];
    const again = (): void => void world.after(world.random() * 100, () => this.#foreign());
    const giveBack = (): void =>
      world.nodes.forEach((node) =>
        world.after(world.trip(), () => {
          if (node.state !== 'down' && node.data.read(resource!)?.value === value) node.data.delete(resource!);
        }),
      );
    for (const node of world.nodes) {
      world.after(world.trip(), () => {
        const isFree = node.state === 'up' && node.data.quarantine === 0 && node.data.read(resource!) === undefined;
        if (isFree) node.data.plant(resource!, value, ttl);
        world.after(world.trip(), () => {
          votes += isFree ? 1 : 0;
          heard += 1;
          if (heard < world.nodes.length) return;
          const isWon = votes > world.nodes.length >> 1 && world.time < until;
          if (isWon) {
            judge.granted(resource!, { process: undefined, isValid: () => !isOver && world.time < until }, undefined);
            world.after(world.random() * 5, () => {
              isOver = true;
              giveBack();
              again();
            });
          } else {
            giveBack();
            again();
          }
        });
      });
    }
  }
}
