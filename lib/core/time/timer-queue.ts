import { AsyncLocalStorage } from 'node:async_hooks';
import { Link, LinkedList } from '../collections/linked-list.js';
import type { Clock, Moment } from './clock.js';

/** A task that is due later. It is in one timer queue at a time. */
export abstract class TimedTask {
  /** Ms on the monotonic clock: when the task is due. */
  time = 0;
  /** By which the timer queue finds the task in a slot. */
  readonly link = new Link<TimedTask>(this);

  abstract due(): void;
}

/** Tasks that are looked at together. */
type Slot = LinkedList<TimedTask>;

/** Ms: the longest sleep of the timer, because timers stand still while the machine is suspended. */
const LONGEST_SLEEP = 500;
/** Ms: a task that is due later than this goes into a coarse slot first, and into finer ones as its time comes near. */
const FAR = 1_000;
/** How many times as long as the width of its coarse slot the delay of a task is, at least. */
const WIDTHS = 8;

/** Runs all tasks that are due later, on one timer. Tasks that are due in the same ms run in the same turn of the event loop. */
export class TimerQueue {
  /** The slots by the tick, in ms, at which they are looked at. A slot stays until then, even if it has become empty. */
  readonly #slots = new Map<number, Slot>();
  #tasks = 0;
  #next = Infinity;
  #stopTimer: () => void = () => undefined;
  /** Runs a function in the async context in which this queue was created, and not in that of a call: a timer is for all calls. */
  readonly #inOwnContext = AsyncLocalStorage.snapshot();

  constructor(private readonly clock: Clock) {
    clock.whenResumed?.(() => this.#arm(this.#next));
  }

  /** Runs `task` once, `delay` ms after `now`, at most one ms early and not late. Replaces the time that was set for the task before. */
  add(delay: number, task: TimedTask, now: Moment = this.clock.now()): void {
    this.remove(task);
    task.time = now.monotonic + delay;
    this.#tasks += 1;
    this.#put(task, delay);
  }

  remove(task: TimedTask): void {
    const { link } = task;
    if (link.list === undefined) return;
    link.list.remove(link);
    this.#tasks -= 1;
    if (this.#tasks === 0) this.#clear();
  }

  /** Puts a task into the slot that has its time in it, so that it is not looked at late. */
  #put(task: TimedTask, delay: number): void {
    const width = widthFor(delay);
    const tick = Math.floor(task.time / width) * width;
    let slot = this.#slots.get(tick);
    if (slot === undefined) this.#slots.set(tick, (slot = new LinkedList()));
    slot.append(task.link);
    if (tick < this.#next) this.#arm(tick);
  }

  #arm(tick: number): void {
    this.#next = tick;
    if (tick === Infinity) return this.#stopTimer();
    // Read before the timer is replaced: if the clock finds out here that the machine was suspended, the timer is replaced as well.
    const delay = tick - this.clock.now().monotonic;
    this.#stopTimer();
    this.#stopTimer = this.#inOwnContext(() =>
      this.clock.schedule(Math.min(LONGEST_SLEEP, Math.max(0, delay)), () => this.#run()),
    );
  }

  #run(): void {
    const now = this.clock.now().monotonic;
    const due = this.#takeDue(now);
    this.#arm(this.#earliest());
    for (const slot of due) this.#runSlot(slot, now);
  }

  /** Removes the slots whose tick has come, and returns them in order. */
  #takeDue(now: number): Slot[] {
    const ticks: number[] = [];
    for (const tick of this.#slots.keys()) if (tick <= now) ticks.push(tick);
    ticks.sort((a, b) => a - b);
    const due = ticks.map((tick) => this.#slots.get(tick)!);
    for (const tick of ticks) this.#slots.delete(tick);
    return due;
  }

  /** Runs the tasks of a slot, the oldest first. A task that another task removes before its turn does not run. */
  #runSlot(slot: Slot, now: number): void {
    for (let task = slot.shift(); task !== undefined; task = slot.shift()) {
      if (task.time >= now + 1) {
        this.#put(task, task.time - now);
      } else {
        this.#tasks -= 1;
        task.due();
      }
    }
  }

  #clear(): void {
    this.#slots.clear();
    this.#arm(Infinity);
  }

  #earliest(): number {
    let earliest = Infinity;
    for (const [tick, slot] of this.#slots) if (slot.length > 0 && tick < earliest) earliest = tick;
    return earliest;
  }
}

/**
 * Returns the width, in ms, of the slot for a task. It grows with the delay: slots stay when they are empty, so with one width their number would
 * grow with the delays of tasks that come and go. It is a power of two, so that a task of another delay has the same slots near its time.
 */
function widthFor(delay: number): number {
  return delay > FAR ? 2 ** Math.floor(Math.log2(delay / WIDTHS)) : 1;
}
