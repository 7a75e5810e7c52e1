import type { Clock, Moment } from '../../lib/core/clock.js';
import { MAX_TTL, LARGEST_STEP } from './scenario.js';
import { RANK, type World } from './world.js';

const EPOCH = 1_700_000_000_000;
/** Ms: lib takes a short suspension for noise, so that until the end of a lease from before it timers are late by as much. */
const LATE_FOR = MAX_TTL * 1.01;
/** Ms; no timer is shorter, or it might fire again and again in the same instant. */
const TICK = 1e-3;

export interface MachineTerms {
  readonly name: string;
  /** How fast its clocks run. */
  readonly rate: number;
  /** Ms by which its wall clock is ahead. */
  readonly ahead: number;
}

interface Delayed {
  readonly rank: number;
  readonly run: () => void;
}

/** One process on one machine: its clocks, and an event loop that can stand still or end. */
export class Machine implements Clock {
  readonly name: string;
  timers = 0;
  readonly #rate: number;
  readonly #ahead: number;
  #isDead = false;
  /** What waits for the event loop to go on; undefined while it runs. */
  #backlog: Delayed[] | undefined;
  #suspendedSince: number | undefined;
  #suspended = 0;
  #wasSuspended = false;
  #stepped = 0;
  #wasStepped = false;
  #lateUntil = 0;

  constructor(
    private readonly world: World,
    { name, rate, ahead }: MachineTerms,
  ) {
    this.name = name;
    this.#rate = rate;
    this.#ahead = ahead;
  }

  get isPaused(): boolean {
    return this.#backlog !== undefined;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  now(): Moment {
    const time = this.world.now * this.#rate;
    return {
      monotonic: (this.#suspendedSince ?? time) - this.#suspended,
      wall: EPOCH + time + this.#ahead + this.#stepped,
    };
  }

  schedule(delay: number, task: () => void): () => void {
    const due = this.now().monotonic + Math.max(TICK, delay);
    let stop = (): void => undefined;
    let isSet = true;
    const end = (): void => {
      if (isSet) this.timers -= 1;
      isSet = false;
      stop();
    };
    const look = (): void => {
      if (!isSet) return;
      const left = due - this.now().monotonic;
      // Rounding, or a machine that was suspended meanwhile.
      if (left > 0) return wait(Math.max(left, TICK));
      end();
      task();
    };
    const wait = (left: number): void => {
      stop = this.world.in(left / this.#rate, () => this.take(look, RANK.timer), RANK.timer);
    };
    this.timers += 1;
    wait(due - this.now().monotonic);
    return end;
  }

  afterInput(task: () => void): void {
    this.world.in(0, () => this.take(task, RANK.afterInput), RANK.afterInput);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve));
  }

  /** Whether its timers may be late, through no fault of theirs. */
  get isLate(): boolean {
    return this.isPaused || this.world.now < this.#lateUntil;
  }

  /** Runs what reaches this process, now or as soon as it goes on. */
  take(run: () => void, rank: number = RANK.input): void {
    if (this.#isDead) return;
    if (this.#backlog) this.#backlog.push({ rank, run });
    else run();
  }

  /**
   * The event loop stands still; a suspended machine's monotonic clock does so too. Not where the wall clock was set back:
   * with both of them no client can know how much time has passed.
   */
  pause(suspended: boolean): void {
    if (this.isPaused) return;
    this.#backlog = [];
    if (!suspended || this.#wasStepped) return;
    this.#wasSuspended = true;
    this.#suspendedSince = this.world.now * this.#rate;
  }

  resume(): void {
    const waiting = this.#backlog ?? [];
    this.#backlog = undefined;
    if (this.#suspendedSince !== undefined) {
      this.#suspended += this.world.now * this.#rate - this.#suspendedSince;
      this.#lateUntil = this.world.now + LATE_FOR;
    }
    this.#suspendedSince = undefined;
    for (const { rank, run } of waiting) this.world.in(0, () => this.take(run, rank), rank);
  }

  /**
   * Somebody sets the wall clock; it never becomes more wrong than the assumptions allow, and never goes forth and back: a
   * lease that looks over would look valid again.
   */
  stepWall(ms: number): void {
    if (this.#wasSuspended || ms * this.#stepped < 0 || Math.abs(this.#stepped + ms) > LARGEST_STEP) return;
    this.#stepped += ms;
    this.#wasStepped = true;
  }

  die(): void {
    this.#isDead = true;
    this.#backlog = undefined;
  }
}
