import type { Dice } from './dice.js';
import { EventQueue } from './event-queue.js';
import { Violation } from '../judge/violation.js';

/** Ten times what a long simulation has. */
const MOST_EVENTS = 100_000;

/** In a turn of an event loop timers come first, then what has arrived, then what waits for both. */
export const RANK = { timer: 0, input: 1, afterInput: 2 } as const;

/** Virtual time, and all that happens in it, one event after the other. */
export class World {
  now = 0;
  events = 0;
  /**
   * Which turn of an event loop this is: an event and all that it sets off in promises; a check after that is in
   * another turn.
   */
  turn = 0;
  readonly #queue = new EventQueue();
  readonly #lines: string[] | undefined;
  #afterTurn: (() => void)[] = [];
  #failure: Error | undefined;

  constructor(
    readonly dice: Dice,
    /** Looks whether all is well, after every event. */
    private readonly check: () => void,
    traced = false,
  ) {
    this.#lines = traced ? [] : undefined;
  }

  get trace(): readonly string[] {
    return this.#lines ?? [];
  }

  /** Writes a line into the trace; made only where the trace is wanted. */
  note(line: () => string): void {
    this.#lines?.push(`${this.now.toFixed(2).padStart(9)}  ${line()}`);
  }

  /** Ends the simulation after this event; the first reason counts. */
  fail(reason: Error): void {
    this.note(() => `!!! ${reason.message}`);
    this.#failure ??= reason;
  }

  /** Plans an event `delay` ms from now, and returns what takes it back. */
  in(delay: number, run: () => void, rank: number = RANK.input): () => void {
    return this.at(this.now + Math.max(0, delay), run, rank);
  }

  at(time: number, run: () => void, rank: number = RANK.input): () => void {
    const event = this.#queue.add(time, rank, run);
    return () => {
      event.run = undefined;
    };
  }

  /** Has `run` done at the end of this turn: what is sent leaves then, however long the turn takes. */
  afterTurn(run: () => void): void {
    this.#afterTurn.push(run);
  }

  /** Lets time pass until `end`, or until `isDone`; whatever an event sets off in promises is over before the next one. */
  runUntil(end: number, isDone: () => boolean = never): Promise<void> {
    return new Promise((resolve, reject) => {
      // What promises have set off can be run where no promise is running.
      setImmediate(() => {
        try {
          resolve(this.#run(end, isDone));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #run(end: number, isDone: () => boolean): void {
    this.#endTurn();
    for (let { next } = this.#queue; next && next.at <= end && !isDone(); { next } = this.#queue) {
      this.#queue.take();
      if (!next.run) continue;
      this.now = next.at;
      this.#count();
      next.run();
      settlePromises();
      this.#endTurn();
      if (this.#failure) throw this.#failure;
      this.check();
    }
    if (!isDone()) this.now = Math.max(this.now, end);
  }

  #endTurn(): void {
    const tasks = this.#afterTurn;
    if (tasks.length > 0) {
      for (const run of tasks) run();
      // Another array takes less time than to shorten this one.
      this.#afterTurn = [];
    }
    this.turn += 1;
  }

  #count(): void {
    this.events += 1;
    if (this.events > MOST_EVENTS) throw new Violation('everyone is answered', 'it goes on and on');
  }
}

/**
 * Runs everything that waits for no event. Node has this for programs that emulate its ticks, without documenting it;
 * to wait for a tick instead, by a promise, takes a quarter of the whole time.
 */
function settlePromises(): void {
  // oxlint-disable-next-line eslint/no-underscore-dangle -- so it is called
  (process as unknown as { _tickCallback(): void })._tickCallback();
}

/** Resolves when everything has run that waits for no event: ticks come after all that promises have set off. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function never(): boolean {
  return false;
}
