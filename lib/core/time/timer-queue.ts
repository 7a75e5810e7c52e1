import type { Clock, Moment } from './clock.js';

/** Something that is due later; on one timer queue at a time. */
export abstract class TimedTask {
  /** When it is due; and where the timer queue keeps it, so that it can be taken back without a search. */
  time = 0;
  slot: Slot | undefined;
  previous: TimedTask | undefined;
  next: TimedTask | undefined;

  abstract due(): void;
}

/** Tasks that are looked at together: a list, since sets and maps that change with every lock keep garbage alive in V8. */
interface Slot {
  first: TimedTask | undefined;
}

/** Ms: no timer sleeps longer, since timers stand still while the machine is suspended. */
const LONGEST_SLEEP = 500;
/** Ms: what is due later than this is kept in coarse slots first, so that these are few. */
const FAR = 1_000;
const COARSE = 64;

/** One timer for everything that is due later: tasks due in the same ms run in the same turn of the event loop. */
export class TimerQueue {
  /** By the tick at which they are looked at; kept until then, also when they are empty again. */
  readonly #slots = new Map<number, Slot>();
  #tasks = 0;
  #next = Infinity;
  #stopTimer: () => void = () => undefined;

  constructor(private readonly clock: Clock) {
    clock.whenResumed?.(() => this.#arm(this.#next));
  }

  /** Has `task` done once, `delay` ms after `now`, at most one ms early and not late; no longer at an earlier time. */
  add(delay: number, task: TimedTask, now: Moment = this.clock.now()): void {
    this.remove(task);
    const time = now.monotonic + delay;
    task.time = time;
    this.#tasks += 1;
    this.#put(task, Math.floor(delay > FAR ? time - (time % COARSE) : time));
  }

  remove(task: TimedTask): void {
    const { slot } = task;
    if (slot === undefined) return;
    unlink(slot, task);
    this.#tasks -= 1;
    if (this.#tasks === 0) this.#clear();
  }

  #put(task: TimedTask, tick: number): void {
    let slot = this.#slots.get(tick);
    if (slot === undefined) this.#slots.set(tick, (slot = { first: undefined }));
    task.slot = slot;
    task.next = slot.first;
    if (slot.first) slot.first.previous = task;
    slot.first = task;
    if (tick < this.#next) this.#arm(tick);
  }

  #arm(tick: number): void {
    this.#next = tick;
    if (tick === Infinity) return this.#stopTimer();
    // Before the timer is replaced: a clock that finds out by this that the machine was suspended replaces it as well.
    const delay = tick - this.clock.now().monotonic;
    this.#stopTimer();
    this.#stopTimer = this.clock.schedule(Math.min(LONGEST_SLEEP, Math.max(0, delay)), () => this.#run());
  }

  #run(): void {
    const now = this.clock.now().monotonic;
    const due = this.#takeDue(now);
    this.#arm(this.#earliest());
    for (const slot of due) this.#runSlot(slot, now);
  }

  /** The slots whose tick has come, in order. */
  #takeDue(now: number): Slot[] {
    const ticks: number[] = [];
    for (const tick of this.#slots.keys()) if (tick <= now) ticks.push(tick);
    ticks.sort((a, b) => a - b);
    const due = ticks.map((tick) => this.#slots.get(tick)!);
    for (const tick of ticks) this.#slots.delete(tick);
    return due;
  }

  /** The oldest first; a task that another one takes back before its turn does not run. */
  #runSlot(slot: Slot, now: number): void {
    let task = oldest(slot);
    while (task) {
      const { previous } = task;
      unlink(slot, task);
      if (task.time >= now + 1) {
        this.#put(task, Math.floor(task.time));
      } else {
        this.#tasks -= 1;
        task.due();
      }
      // The one before it may have been taken back by what has just run.
      task = previous?.slot === slot ? previous : oldest(slot);
    }
  }

  #clear(): void {
    this.#slots.clear();
    this.#arm(Infinity);
  }

  #earliest(): number {
    let earliest = Infinity;
    for (const [tick, slot] of this.#slots) if (slot.first && tick < earliest) earliest = tick;
    return earliest;
  }
}

function unlink(slot: Slot, task: TimedTask): void {
  const { previous, next } = task;
  if (previous) previous.next = next;
  else slot.first = next;
  if (next) next.previous = previous;
  task.slot = undefined;
  task.previous = undefined;
  task.next = undefined;
}

function oldest({ first }: Slot): TimedTask | undefined {
  let task = first;
  while (task?.next) task = task.next;
  return task;
}
