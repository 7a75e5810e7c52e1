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
/** Ms: a task that is due later than this goes into a coarse slot first, so that there are few slots. */
const FAR = 1_000;
/** Ms: the width of a coarse slot. */
const COARSE = 64;

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
    const time = now.monotonic + delay;
    task.time = time;
    this.#tasks += 1;
    this.#put(task, Math.floor(delay > FAR ? time - (time % COARSE) : time));
  }

  remove(task: TimedTask): void {
    const { link } = task;
    if (link.list === undefined) return;
    link.list.remove(link);
    this.#tasks -= 1;
    if (this.#tasks === 0) this.#clear();
  }

  #put(task: TimedTask, tick: number): void {
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
        this.#put(task, Math.floor(task.time));
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
