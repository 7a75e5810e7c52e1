import type { Lock } from '../../lib/core/api/lock.js';
import type { Dice } from './world/dice.js';
import { STRAY } from './scenario.js';
import type { SimulatedClient } from './simulated-client.js';

/** What one process does besides taking locks, as real programs and their operators do. */
export class Habits {
  /** When all is to be calm: at once, unless set otherwise. */
  end = 0;
  readonly #dice: Dice;

  constructor(private readonly client: SimulatedClient) {
    this.#dice = client.dice.fork(`habits of ${client.name}`);
  }

  /** Hashes a password perhaps, wherever the library calls or answers a program. */
  perhapsCompute(share = 1): void {
    const { client } = this;
    const { scenario, world } = client.context;
    const left = this.end - client.machine.free;
    if (left <= 0 || !this.#dice.chance(scenario.computes * share)) return;
    const [shortest, longest] = scenario.ttls;
    const ms = Math.min(left, this.#dice.between(1, this.#dice.pick([5, shortest, 1.5 * longest])));
    world.note(() => `${client.name} computes for ${ms.toFixed(1)} ms from ${client.machine.free.toFixed(2)} on`);
    client.compute(ms);
  }

  /**
   * The same at the end of a caller's work, and where it goes without its lock: others go on in the same turn, and must not begin with a lease
   * that is over by then. Without a roll in the seeds in which nobody computes, these stay as they were.
   */
  perhapsComputeAtLast(): void {
    if (this.client.context.scenario.computes > 0) this.perhapsCompute();
  }

  /** Perhaps, when a lock is lost, its program is told of that and releases it, and asks for it once more by `again`. */
  perhapsListen(lock: Lock, again: () => void): void {
    if (!this.#dice.chance(0.3)) return;
    lock.signal.addEventListener('abort', () => {
      this.client.judge(() => this.client.context.ledger.toldOfLoss(lock));
      this.perhapsCompute();
      void lock.release();
      if (this.#dice.chance(0.5)) again();
    });
  }

  /** Rarely all nodes forget everything right after a caller got a lock, which learns of that at once. */
  async perhapsForgotten(lock: Lock): Promise<void> {
    const { world, pool } = this.client.context;
    if (world.now >= this.end || !this.#dice.chance(0.01)) return;
    world.note(() => '### all nodes are flushed');
    for (const node of pool.servers) node.flush();
    await lock.extend();
  }

  /** The wall clock is far off for a while, again and again, where the scenario says so. */
  stray(): void {
    const { world, scenario } = this.client.context;
    const { machine } = this.client;
    if (!scenario.strayClocks) return;
    world.in(this.#dice.between(50, 800), () => {
      if (machine.isDead || world.now > this.end) return;
      const ms = this.#dice.between(...STRAY) * this.#dice.pick([1, -1]);
      world.note(() => `### the wall clock of ${machine.name} goes astray by ${ms.toFixed(1)} ms`);
      machine.setWall((clock) => clock.stray(ms));
      world.in(this.#dice.between(1, 400), () => this.#putRight());
    });
  }

  #putRight(): void {
    this.client.machine.setWall((clock) => clock.stray(0));
    this.stray();
  }
}
