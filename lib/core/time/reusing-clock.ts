import { LONGEST_TIMER } from './clock.js';
import { SystemClock } from './system-clock.js';

/** A task and when it is due: ms on the clock of Node's timers. */
interface DueTask {
  readonly due: number;
  readonly task: () => void;
}

/**
 * Real time for a pool. It does what a `SystemClock` does.
 *
 * A lock without others beside it sets a timer and cancels it, which is expensive in Node. So one cancelled timer is kept for the next task. For
 * example, a timer that fires at 500 ms is cancelled at 10 ms. The next task is due at 510 ms and takes this timer over: the timer fires at
 * 500 ms and is then set again for the remaining 10 ms.
 *
 * With a `SystemClock`, a caller alone uses about 4 % more processor time for each lock; for many callers it makes no difference. To measure it,
 * take a `SystemClock` in `RedlockService`, and compare both builds: `npm run bench -- --only alone --candidates ours --library <index.js>`.
 */
export class ReusingClock extends SystemClock {
  /** A cancelled timer that has not fired yet. */
  #spare: ReusableTimer | undefined;

  override schedule(delay: number, task: () => void): () => void {
    const dueTask = { due: performance.now() + delay, task };
    const timer = this.#takeSpare(dueTask) ?? new ReusableTimer(dueTask, delay, (idle) => this.#forget(idle));
    return () => {
      if (timer.dueTask === dueTask) this.#takeBack(timer);
    };
  }

  #takeSpare(dueTask: DueTask): ReusableTimer | undefined {
    const spare = this.#spare;
    if (spare === undefined || spare.firesAt > dueTask.due || spare.belongsToOldTimers) return undefined;
    this.#spare = undefined;
    spare.use(dueTask);
    return spare;
  }

  /** Keeps the one of two timers that fires first, because more tasks can use it. */
  #takeBack(timer: ReusableTimer): void {
    const spare = this.#spare;
    if (spare !== undefined && spare.firesAt <= timer.firesAt) return timer.end();
    spare?.end();
    timer.becomeSpare();
    this.#spare = timer;
  }

  #forget(timer: ReusableTimer): void {
    if (this.#spare === timer) this.#spare = undefined;
  }
}

/** A timer that may fire before its task is due, and is then set again. */
class ReusableTimer {
  /** Undefined once the task was cancelled or has run. */
  dueTask: DueTask | undefined;
  /** Ms on the clock of Node's timers: when the timer fires. */
  firesAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The `setTimeout` that created the timer. */
  #maker = setTimeout;

  constructor(
    dueTask: DueTask,
    delay: number,
    private readonly onIdleFire: (timer: ReusableTimer) => void,
  ) {
    this.#start(dueTask, delay);
  }

  /** True if a test has replaced the timers of Node since this one was created, so that it may never fire. */
  get belongsToOldTimers(): boolean {
    return this.#maker !== setTimeout;
  }

  use(dueTask: DueTask): void {
    this.dueTask = dueTask;
    this.#timer?.ref();
  }

  /** Lets the timer go on without a task; it then does not keep the process alive. */
  becomeSpare(): void {
    this.dueTask = undefined;
    this.#timer?.unref();
  }

  end(): void {
    this.dueTask = undefined;
    clearTimeout(this.#timer);
  }

  #start(dueTask: DueTask, delay: number): void {
    this.dueTask = dueTask;
    this.firesAt = dueTask.due;
    this.#maker = setTimeout;
    this.#timer = setTimeout(() => this.#fire(), Math.min(delay, LONGEST_TIMER));
  }

  #fire(): void {
    const { dueTask } = this;
    if (dueTask === undefined) return this.onIdleFire(this);
    // The time `firesAt` counts as reached: a timer of a test may fire while time stands still, and Node's may fire a fraction of a ms early.
    const remaining = dueTask.due - Math.max(this.firesAt, performance.now());
    if (remaining >= 1) return this.#start(dueTask, Math.ceil(remaining));
    this.dueTask = undefined;
    dueTask.task();
  }
}
