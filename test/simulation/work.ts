import { RedlockError } from '../../lib/core/api/errors.js';
import type { Lock } from '../../lib/core/api/lock.js';
import type { LockOptions } from '../../lib/core/api/options.js';
import type { SimulatedClient } from './simulated-client.js';
import { Stopwatch } from './judge/stopwatch.js';
import { Violation } from './judge/violation.js';

type TimedTask = () => Promise<void>;
type Resources = string | readonly string[];

/** One caller in a client: wants locks, holds them, and does with them what users do. */
export class Work {
  #end = 0;

  constructor(private readonly client: SimulatedClient) {}

  async run(end: number): Promise<void> {
    const { client } = this;
    this.#end = end;
    const tasks: readonly TimedTask[] = [
      () => this.#hold(),
      () => this.#hold(),
      () => this.#try(),
      () => this.#within(),
      () => this.#giveUp(),
      () => this.#forget(),
      () => this.#exchange(),
      ...Array.from({ length: client.context.scenario.exchanging ? 20 : 0 }, () => () => this.#exchange()),
    ];
    while (client.context.world.now < end && !client.machine.isDead) {
      await client.machine.sleep(client.dice.between(0, client.dice.pick(this.#isHasty ? [0, 5] : [5, 60, 300])));
      await this.#survive(client.dice.pick(tasks));
    }
  }

  async #hold(resources: Resources = this.#resources()): Promise<void> {
    const lock = await this.#acquire(resources);
    await this.#useOf(lock);
    await this.#release(lock);
  }

  async #try(): Promise<void> {
    const lock = await this.client.redlock.tryAcquire(this.#resources(), this.#options());
    if (!lock) return this.client.habits.perhapsComputeAtLast();
    this.#began(lock);
    await this.#useOf(lock);
    await this.#release(lock);
  }

  async #within(): Promise<void> {
    const options = this.#options();
    const watch = new Stopwatch(this.client.machine, options);
    const work = async (lock: Lock): Promise<void> => {
      this.#stop(watch);
      this.#began(lock);
      await this.#useOf(lock);
      this.client.habits.perhapsComputeAtLast();
      this.#ended(lock);
    };
    await this.client.redlock.withLock(this.#resources(), work, options).catch((error: unknown) => {
      this.#stop(watch, error);
      this.client.habits.perhapsComputeAtLast();
      throw error;
    });
    this.client.habits.perhapsCompute();
  }

  /** Waits for a while only. */
  async #giveUp(): Promise<void> {
    const abort = new AbortController();
    const stopTimer = this.client.machine.schedule(this.client.dice.between(0, 200), () => abort.abort(new GaveUp()));
    try {
      const lock = await this.#acquire(this.#resources(), { ...this.#options(), signal: abort.signal });
      await this.#release(lock);
    } finally {
      stopTimer();
    }
  }

  /** Never gives the lock back. */
  async #forget(): Promise<void> {
    await this.#useOf(await this.#acquire(this.#resources()));
  }

  /** Gives back all in the turn in which it asks for a part. */
  async #exchange(): Promise<void> {
    const { dice, context } = this.client;
    const lock = await this.#acquire(context.scenario.resources);
    await this.#useOf(lock);
    const part = dice.pick(context.scenario.resources);
    const isPrompt = context.scenario.clocks === 'set forward';
    if (!isPrompt && dice.chance(0.5) && context.world.now < this.#end)
      this.client.holdUpReplies(dice.between(20, 350));
    if (dice.chance(0.5)) await Promise.all([this.#hold(part), this.#release(lock)]);
    else await Promise.all([this.#release(lock), this.#hold(part)]);
  }

  async #acquire(resources: Resources, options = this.#options()): Promise<Lock> {
    const watch = new Stopwatch(this.client.machine, options);
    try {
      const lock = await this.client.redlock.acquire(resources, options);
      this.#stop(watch);
      this.#began(lock);
      return lock;
    } catch (error) {
      this.#stop(watch, error);
      this.client.habits.perhapsComputeAtLast();
      throw error;
    }
  }

  async #useOf(lock: Lock): Promise<void> {
    const { dice, machine, context, habits } = this.client;
    await habits.perhapsForgotten(lock).catch(known);
    if (this.#isHasty && dice.chance(0.9)) return machine.sleep(dice.between(0, 3));
    const times = dice.chance(0.3) ? dice.whole(1, 3) : 0;
    for (let time = 0; time < times; time += 1) {
      await machine.sleep(dice.between(0, 120));
      context.ledger.extends(lock);
      await lock.extend(dice.chance(0.5) ? undefined : dice.whole(...context.scenario.ttls)).catch(known);
      habits.perhapsCompute();
    }
    await machine.sleep(dice.between(0, dice.pick([3, 50, 400])));
  }

  async #release(lock: Lock): Promise<void> {
    const { habits } = this.client;
    habits.perhapsCompute();
    this.#ended(lock);
    await lock.release();
    // While those behind it may be about to begin.
    habits.perhapsCompute(3);
  }

  get #isHasty(): boolean {
    return this.client.context.scenario.crowded;
  }

  #resources(): Resources {
    const { dice } = this.client;
    const { resources } = this.client.context.scenario;
    return resources.length > 1 && dice.chance(0.25) ? [...resources] : dice.pick(resources);
  }

  #options(): LockOptions {
    const { dice } = this.client;
    return {
      ttl: this.#isHasty ? this.client.context.scenario.ttls[1] : dice.whole(...this.client.context.scenario.ttls),
      waitTimeout: dice.pick([0, 100, 600, 1_200]),
      autoExtend: dice.chance(0.4),
      ...(dice.chance(0.1) && { retryCount: dice.whole(0, 3) }),
    };
  }

  #began(lock: Lock): void {
    const { world, ledger } = this.client.context;
    const { habits, machine } = this.client;
    world.note(
      () => `${this.client.name} HOLDS ${lock.resources.join('+')} as ${lock.value}, token ${lock.fencingToken}`,
    );
    this.client.judge(() => {
      const enter = ledger.given(this.client, lock);
      machine.whenThere(() => this.client.judge(enter));
    });
    habits.perhapsListen(lock, () => this.client.start(() => this.#again(lock)));
    habits.perhapsCompute();
  }

  async #again({ resources }: Lock): Promise<void> {
    if (this.client.context.world.now < this.#end) await this.#survive(() => this.#hold(resources));
  }

  #ended(lock: Lock): void {
    const { world, ledger } = this.client.context;
    world.note(() => `${this.client.name} lets go of ${lock.value}${lock.isValid ? '' : ', which was over'}`);
    this.client.machine.whenThere(() => ledger.ended(lock));
  }

  #stop(watch: Stopwatch, error?: unknown): void {
    this.client.judge(() => watch.stop(error));
  }

  async #survive(task: TimedTask): Promise<void> {
    try {
      await task();
    } catch (error) {
      known(error);
      this.client.context.world.note(() => `${this.client.name} goes without: ${(error as Error).message}`);
    }
  }
}

class GaveUp extends Error {}

/** Passes what users have to expect. */
function known(error: unknown): void {
  if (error instanceof GaveUp || error instanceof Violation) return;
  if (error instanceof RedlockError && error.code !== 'LOCK_KEY' && error.code !== 'NO_SERVICE') return;
  throw error;
}
