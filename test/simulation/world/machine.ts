import type { Clock, Moment } from '../../../lib/core/time/clock.js';
import { SuspensionWatch } from '../../../lib/core/time/suspension-watch.js';
import { Computing } from './computing.js';
import { Suspension } from './suspension.js';
import { WallClock } from './wall-clock.js';
import { RANK, type World } from './world.js';

/** Ms: the longest sleep of lib's timers, which stand still while the machine is suspended and are late by as much afterwards. */
export const LATE_FOR = 500 * 1.01;
/** Ms: how finely the uptime is told. */
const UPTIME_STEP = 10;
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
  isDead = false;
  readonly #rate: number;
  readonly #wall: WallClock;
  readonly #watch: SuspensionWatch;
  /** What waits for the event loop to go on; undefined while it runs. */
  #backlog: Delayed[] | undefined;
  readonly suspension = new Suspension();
  #lateUntil = 0;
  /** Ms of the world's time: since when it is paused, and for how long it has stood still so far. */
  #pausedAt: number | undefined;
  #stoodStill = 0;
  #suspensions = 0;
  readonly #computing: Computing;

  constructor(
    private readonly world: World,
    { name, rate, ahead }: MachineTerms,
  ) {
    this.name = name;
    this.#rate = rate;
    this.#wall = new WallClock(ahead);
    this.#computing = new Computing(world);
    this.#watch = new SuspensionWatch({
      monotonic: () => this.#monotonic(),
      wall: () => this.#wall.at(this.time),
      uptime: () => Math.floor((this.time + ahead) / UPTIME_STEP) * UPTIME_STEP,
    });
  }

  now(): Moment {
    return this.suspension.now(this.time, () => this.#wall.at(this.time)) ?? this.#watch.now();
  }

  whenResumed(tell: () => void): void {
    this.#watch.whenResumed(tell);
  }

  /** Ms since it began: what goes on while it is suspended, and whatever its wall clock is set to. */
  get time(): number {
    return this.#computing.now * this.#rate;
  }

  /** Ms of its time for which it has stood still or computed, how often it was suspended, and how often its wall clock was set. */
  get stoodStill(): { readonly time: number; readonly suspensions: number; readonly settings: number } {
    return { time: this.#stoodStill * this.#rate, suspensions: this.#suspensions, settings: this.#wall.settings };
  }

  get isComputing(): boolean {
    return this.#computing.isOn;
  }

  /** The world's time when what it sends now leaves. */
  get free(): number {
    return this.#computing.free;
  }

  /** That of the timers: it stands still while the machine is suspended. */
  #monotonic(): number {
    return this.suspension.monotonic(this.time);
  }

  schedule(delay: number, task: () => void): () => void {
    const due = this.#monotonic() + Math.max(TICK, delay);
    let stop = (): void => undefined;
    let isSet = true;
    const end = (): void => {
      if (isSet) this.timers -= 1;
      isSet = false;
      stop();
    };
    const look = (): void => {
      if (!isSet) return;
      const left = due - this.#monotonic();
      // Rounding, or a machine that was suspended meanwhile.
      if (left > 0) return wait(Math.max(left, TICK));
      end();
      task();
    };
    const wait = (left: number): void => {
      stop = this.world.in(left / this.#rate, () => this.take(look, RANK.timer), RANK.timer);
    };
    this.timers += 1;
    wait(due - this.#monotonic());
    return end;
  }

  afterInput(task: () => void): void {
    this.world.in(0, () => this.take(task, RANK.afterInput), RANK.afterInput);
  }

  nextTurn(task: () => void): void {
    this.afterInput(task);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve));
  }

  /** Whether its timers may be late, through no fault of theirs. */
  get isLate(): boolean {
    return this.#backlog !== undefined || this.world.now < this.#lateUntil;
  }

  /** Runs what reaches this process, now or as soon as it goes on. */
  take(run: () => void, rank: number = RANK.input): void {
    if (this.isDead) return;
    if (this.#backlog) this.#backlog.push({ rank, run });
    else run();
  }

  /**
   * The event loop stands still; the monotonic clock of a suspended machine does so too. Whatever its wall clock was set to before is
   * noticed by then: nobody could tell one that was set back in the same moment by just as much.
   */
  pause(suspended: boolean): void {
    if (this.#backlog) return;
    this.#backlog = [];
    this.#pausedAt = this.world.now;
    if (!suspended) return;
    this.#suspensions += 1;
    this.suspension.begin(this.time, this.now());
  }

  resume(): void {
    if (this.#backlog === undefined || this.isComputing) return;
    const waiting = this.#backlog;
    this.#backlog = undefined;
    this.#stoodStill += this.world.now - (this.#pausedAt ?? this.world.now);
    this.#pausedAt = undefined;
    // What has waited comes next.
    this.#lateUntil = Math.max(this.#lateUntil, this.world.now + (this.suspension.isOn ? LATE_FOR : TICK));
    this.suspension.end(this.time);
    for (const { rank, run } of waiting) this.world.in(0, () => this.take(run, rank), rank);
  }

  /** The program computes for so long without giving control back. */
  compute(ms: number): void {
    if (this.isDead) return;
    this.#backlog ??= [];
    this.#stoodStill += ms;
    this.#computing.begin(ms, () => this.resume());
  }

  /** Does `run` when the world has come to where the program is, unless it has died before that. */
  whenThere(run: () => void): void {
    if (!this.isComputing) return run();
    this.world.at(this.free, () => {
      if (!this.isDead) run();
    });
  }

  /** An operator sets the wall clock, but not while the machine is suspended, and not before its process has noticed that it was: see `pause`. */
  setWall(set: (clock: WallClock) => void): void {
    if (!this.suspension.isNoticed) this.now();
    if (!this.suspension.isOn) set(this.#wall);
  }

  stepWall(ms: number): void {
    this.setWall((clock) => clock.step(ms));
  }

  die(): void {
    this.isDead = true;
    this.#backlog = undefined;
  }
}
