import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../dice.js';
import { machineTime, type Fault } from '../record.js';
import type { Stage } from '../stage/stage.js';
import type { Nemesis, Strike } from './nemesis.js';

/** Ms between two faults. */
const PAUSE: readonly [number, number] = [100, 900];
const AT_ONCE = 3;

/** Lets faults happen, several at a time, never two to the same thing, and ends them all. */
export class Schedule {
  readonly faults: Fault[] = [];
  /** What went wrong with the harness itself. */
  readonly failures: string[] = [];
  readonly #busy = new Set<string>();
  readonly #active = new Map<Promise<void>, AbortController>();

  constructor(
    private readonly stage: Stage,
    private readonly nemeses: readonly Nemesis[],
    private readonly dice: Dice,
  ) {}

  /** Resolves when the time is over and everything has been healed. */
  async run(duration: number): Promise<void> {
    const end = machineTime() + duration;
    for (;;) {
      const pause = this.dice.between(...PAUSE);
      if (machineTime() + pause >= end) break;
      await sleep(pause);
      if (this.#active.size < AT_ONCE) this.#strike();
    }
    await sleep(Math.max(0, end - machineTime()));
    for (const heal of this.#active.values()) heal.abort();
    await Promise.all(this.#active.keys());
  }

  #strike(): void {
    const nemesis = weighted(this.nemeses, this.dice);
    const strike = nemesis.plan(this.stage, this.dice);
    if (strike.where.some((name) => this.#isBusy(name))) return;
    const heal = new AbortController();
    for (const name of strike.where) this.#busy.add(name);
    const done = this.#live(nemesis, strike, heal.signal).finally(() => {
      for (const name of strike.where) this.#busy.delete(name);
      this.#active.delete(done);
    });
    this.#active.set(done, heal);
  }

  #isBusy(name: string): boolean {
    return this.#busy.has(name);
  }

  async #live({ name }: Nemesis, strike: Strike, heal: AbortSignal): Promise<void> {
    const from = machineTime();
    try {
      await strike.begin();
      await sleep(strike.lasts, undefined, strike.isUnstoppable ? {} : { signal: heal }).catch(() => undefined);
    } catch (error) {
      this.failures.push(`${name} did not begin: ${String(error)}`);
    }
    try {
      await strike.end?.();
    } catch (error) {
      this.failures.push(`${name} did not end: ${String(error)}`);
    }
    this.faults.push({ name, where: strike.where, from, to: machineTime() });
  }
}

function weighted(nemeses: readonly Nemesis[], dice: Dice): Nemesis {
  const weightOf = ({ weight = 1 }: Nemesis): number => weight;
  let left = dice.between(
    0,
    nemeses.reduce((sum, nemesis) => sum + weightOf(nemesis), 0),
  );
  for (const nemesis of nemeses) {
    left -= weightOf(nemesis);
    if (left <= 0) return nemesis;
  }
  return nemeses.at(-1)!;
}
