import { choose, termsOf, type Choices } from './choices.js';
import { Faults } from './faults.js';
import { aheadOf, Judge } from './judge.js';
import { OnceCallers } from './once.js';
import type { Result } from './result.js';
import { World, type Process } from './world.js';
import type { Lock } from '../../lib/engine/lock.js';

/** Ms between two calls of a caller that does its work once, at most. */
const BETWEEN_CALLS = 150;

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
    this.world = new World(seed, termsOf(choices));
    this.#once = new OnceCallers(this.world, choices);
    this.judge = new Judge(this.world, aheadOf(choices));
    this.#resources = ['a', 'b'].slice(0, choices.resources);
  }

  async run(): Promise<Result> {
    const { world, judge } = this;
    const choices = this.#choices;
    for (let count = 0; count < choices.processes; count += 1) this.#start();
    if (choices.foreign === 1) this.#foreign();
    const mayForget = choices.once > 0 ? (node: number): boolean => this.#once.mayForget(node) : undefined;
    new Faults(world, choices, { start: () => this.#start(), mayForget }).begin();
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
    return { choices, grants: judge.grants, told, terms: 0, violations: [...judge.violations, ...violations] };
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
