import type { Logger } from '@nestjs/common';
import type { Clock } from '../engine/clock.js';

/** How many changes of one node are logged one by one within `WINDOW` ms; further ones are counted. */
const MOST_LINES = 4;
const WINDOW = 10_000;

type Level = 'log' | 'warn' | 'error';

/** A line of the log that says in what state a node, or the pool, is now. */
export interface StateLine {
  /** Whose state it is. */
  readonly of: string;
  readonly level: Level;
  readonly text: string;
}

/** The changes of one node. */
interface StateChanges {
  /** When the present window began, ms on the monotonic clock. */
  since: number;
  /** How many changes were logged one by one in this window. */
  lines: number;
  /** How many changes were only counted since the latest line, and the latest of them. */
  more: number;
  latest: StateLine | undefined;
  stopTimer: () => void;
}

/** Keeps a node that goes up and down from flooding the log: a few lines are logged at once, and then one every few seconds, with their number. */
export class FlapLog {
  readonly #changes = new Map<string, StateChanges>();
  #isStopped = false;

  constructor(
    private readonly logger: Pick<Logger, Level>,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {}

  /** Takes a change; returns whether it is to be logged now. Otherwise it is counted, and logged later together with others. */
  passes(line: StateLine): boolean {
    const changes = this.#changesOf(line.of);
    if (changes.lines < MOST_LINES) {
      changes.lines += 1;
      return true;
    }
    if (changes.more === 0) this.#logLater(changes);
    changes.more += 1;
    changes.latest = line;
    return false;
  }

  /** Logs what is still counted, and sets no timer from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const changes of this.#changes.values()) this.#logCounted(changes);
  }

  /** Returns the changes of one node; they start over where the node has been quiet since the end of the window. */
  #changesOf(of: string): StateChanges {
    const now = this.clock.now().monotonic;
    const known = this.#changes.get(of);
    if (known !== undefined && (known.more > 0 || now - known.since < WINDOW)) return known;
    const changes: StateChanges = { since: now, lines: 0, more: 0, latest: undefined, stopTimer: () => undefined };
    this.#changes.set(of, changes);
    return changes;
  }

  #logLater(changes: StateChanges): void {
    if (this.#isStopped) return;
    const remaining = changes.since + WINDOW - this.clock.now().monotonic;
    changes.stopTimer = this.clock.schedule(remaining, () => this.#logCounted(changes));
  }

  /** Logs the latest change with the number of those before it. A new window begins, in which changes are counted from the first one on. */
  #logCounted(changes: StateChanges): void {
    changes.stopTimer();
    const { latest, more } = changes;
    if (latest === undefined) return;
    const times = more === 1 ? '1 more change' : `${more} more changes`;
    this.logger[latest.level](`${latest.text} (after ${times} within ${WINDOW / 1_000} s)`);
    changes.since = this.clock.now().monotonic;
    changes.more = 0;
    changes.latest = undefined;
  }
}
