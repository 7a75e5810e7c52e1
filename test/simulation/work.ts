import { RedlockError } from '../../lib/core/errors.js';
import type { Lock } from '../../lib/core/lock.js';
import type { LockOptions } from '../../lib/core/options.js';
import type { SimulatedClient } from './simulated-client.js';
import { Violation } from './violation.js';

type Task = () => Promise<void>;

/** One caller in a client: wants locks, holds them, and does with them what users do. */
export class Work {
  constructor(private readonly client: SimulatedClient) {}

  async run(end: number): Promise<void> {
    const { client } = this;
    const tasks: readonly Task[] = [
      () => this.#hold(),
      () => this.#hold(),
      () => this.#try(),
      () => this.#within(),
      () => this.#giveUp(),
      () => this.#forget(),
    ];
    while (client.around.world.now < end && !client.machine.isDead) {
      await client.machine.sleep(client.dice.between(0, client.dice.pick(this.#isHasty ? [0, 5] : [5, 60, 300])));
      await this.#survive(client.dice.pick(tasks));
    }
  }

  async #hold(): Promise<void> {
    const lock = await this.client.redlock.acquire(this.#resources(), this.#options());
    this.#began(lock);
    await this.#useOf(lock);
    this.#ended(lock);
    await lock.release();
  }

  async #try(): Promise<void> {
    const lock = await this.client.redlock.tryAcquire(this.#resources(), this.#options());
    if (!lock) return;
    this.#began(lock);
    await this.#useOf(lock);
    this.#ended(lock);
    await lock.release();
  }

  async #within(): Promise<void> {
    const work = async (lock: Lock): Promise<void> => {
      this.#began(lock);
      await this.#useOf(lock);
      this.#ended(lock);
    };
    await this.client.redlock.withLock(this.#resources(), work, this.#options());
  }

  /** Waits for a while only. */
  async #giveUp(): Promise<void> {
    const abort = new AbortController();
    const stopTimer = this.client.machine.schedule(this.client.dice.between(0, 200), () => abort.abort(new GaveUp()));
    try {
      const lock = await this.client.redlock.acquire(this.#resources(), { ...this.#options(), signal: abort.signal });
      this.#began(lock);
      this.#ended(lock);
      await lock.release();
    } finally {
      stopTimer();
    }
  }

  /** Never gives the lock back. */
  async #forget(): Promise<void> {
    const lock = await this.client.redlock.acquire(this.#resources(), this.#options());
    this.#began(lock);
    await this.#useOf(lock);
  }

  async #useOf(lock: Lock): Promise<void> {
    const { dice, machine } = this.client;
    if (this.#isHasty && dice.chance(0.9)) return machine.sleep(dice.between(0, 3));
    const times = dice.chance(0.3) ? dice.whole(1, 3) : 0;
    for (let time = 0; time < times; time += 1) {
      await machine.sleep(dice.between(0, 120));
      await lock.extend(dice.chance(0.5) ? undefined : dice.whole(...this.client.around.scenario.ttls)).catch(known);
    }
    await machine.sleep(dice.between(0, dice.pick([3, 50, 400])));
  }

  get #isHasty(): boolean {
    return this.client.around.scenario.crowded;
  }

  #resources(): string | string[] {
    const { dice } = this.client;
    const { resources } = this.client.around.scenario;
    return resources.length > 1 && dice.chance(0.25) ? [...resources] : dice.pick(resources);
  }

  #options(): LockOptions {
    const { dice } = this.client;
    return {
      ttl: this.#isHasty ? this.client.around.scenario.ttls[1] : dice.whole(...this.client.around.scenario.ttls),
      waitTimeout: dice.pick([0, 100, 600, 1_200]),
      autoExtend: dice.chance(0.4),
      ...(dice.chance(0.1) && { retryCount: dice.whole(0, 3) }),
    };
  }

  #began(lock: Lock): void {
    const { world, ledger } = this.client.around;
    world.note(
      () => `${this.client.name} HOLDS ${lock.resources.join('+')} as ${lock.value}, token ${lock.fencingToken}`,
    );
    try {
      ledger.began(this.client, lock);
    } catch (error) {
      world.fail(error as Error);
    }
  }

  #ended(lock: Lock): void {
    const { world, ledger } = this.client.around;
    world.note(() => `${this.client.name} lets go of ${lock.value}${lock.isValid ? '' : ', which was over'}`);
    ledger.ended(lock);
  }

  async #survive(task: Task): Promise<void> {
    try {
      await task();
    } catch (error) {
      known(error);
      this.client.around.world.note(() => `${this.client.name} goes without: ${(error as Error).message}`);
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
