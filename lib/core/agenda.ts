import type { Clock } from './clock.js';

type Task = () => void;

/** Ms: no timer sleeps longer, since timers stand still while the machine is suspended. */
const LONGEST_SLEEP = 500;
/** Ms by which the clocks may differ for other reasons, such as adjustments and the coarseness of the wall clock. */
const WALL_CLOCK_NOISE = 50;

/** One timer for everything that is due later: tasks due in the same ms run in the same turn of the event loop. */
export class Agenda {
  readonly #due = new Map<number, Set<Task>>();
  #next = Infinity;
  #wallAhead: number;
  #suspended = 0;
  #stopTimer: () => void = () => undefined;

  constructor(private readonly clock: Clock) {
    const { monotonic, wall } = clock.now();
    this.#wallAhead = wall - monotonic;
  }

  /** Calls `task` once after `delay` ms, at most one ms early and not late; returns what takes it back. */
  add(delay: number, task: Task): () => void {
    const tick = Math.floor(this.#now() + delay);
    const tasks = this.#due.get(tick) ?? new Set<Task>();
    this.#due.set(tick, tasks.add(task));
    if (tick < this.#next) this.#arm(tick);
    return () => {
      tasks.delete(task);
      this.#tidy(tick, tasks);
    };
  }

  #tidy(tick: number, tasks: Set<Task>): void {
    if (tasks.size > 0 || this.#due.get(tick) !== tasks) return;
    this.#due.delete(tick);
    if (this.#due.size === 0) this.#arm(Infinity);
  }

  #arm(tick: number): void {
    this.#stopTimer();
    this.#next = tick;
    if (tick === Infinity) return;
    const delay = Math.min(LONGEST_SLEEP, Math.max(0, tick - this.#now()));
    this.#stopTimer = this.clock.schedule(delay, () => this.#run());
  }

  #run(): void {
    const now = this.#now();
    const due = [...this.#due].filter(([tick]) => tick <= now).sort(([a], [b]) => a - b);
    for (const [tick] of due) this.#due.delete(tick);
    this.#arm(this.#earliest());
    for (const [, tasks] of due) runAll(tasks);
  }

  /** Monotonic ms, and those for which the machine was suspended: only the wall clock went on then. */
  #now(): number {
    const { monotonic, wall } = this.clock.now();
    const ahead = wall - monotonic - this.#wallAhead;
    if (Math.abs(ahead) > WALL_CLOCK_NOISE) {
      this.#suspended += Math.max(0, ahead);
      this.#wallAhead += ahead;
    }
    return monotonic + this.#suspended;
  }

  #earliest(): number {
    let earliest = Infinity;
    for (const tick of this.#due.keys()) earliest = Math.min(earliest, tick);
    return earliest;
  }
}

/** A task that another one takes back before its turn does not run. */
function runAll(tasks: Set<Task>): void {
  for (const task of tasks) {
    tasks.delete(task);
    task();
  }
}
