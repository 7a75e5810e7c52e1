import type { Clock } from '../engine/clock.js';
import type { Coded } from '../engine/codes.js';
import type { Lines } from './safe-logger.js';

/** How many kinds of lines are counted one by one. */
const MOST_KINDS = 50;
const OTHERS = 'others';

/** Warnings and errors have a code. */
export type Line = readonly ['debug' | 'log', string] | readonly ['warn' | 'error', Coded];

/** How many lines of one kind are logged at once within `window` ms. */
export interface Limit {
  readonly most: number;
  readonly window: number;
}

/** The lines of one kind. */
interface Group {
  readonly limit: Limit;
  /** How many lines may still be logged at once in this window. */
  left: number;
  /** How many lines were only counted, and the latest of them. */
  more: number;
  latest: (() => void) | undefined;
  stopTimer: () => void;
}

/** Keeps lines that come often from flooding the log: a few are logged at once, and then one for each window, with the number of the others. */
export class Burst {
  readonly #groups = new Map<string, Group>();
  #isStopped = false;

  constructor(
    private readonly logger: Lines,
    private readonly clock: Pick<Clock, 'schedule'>,
  ) {}

  /** Logs a line at once, or counts it. */
  log(kind: string, limit: Limit, line: Line): void {
    this.count(kind, limit, line, () => this.#write(line));
  }

  /** Calls `log` at once, or counts the line. */
  count(kind: string, limit: Limit, line: Line, log: () => void): void {
    const group = this.#groups.get(kind) ?? this.#begin(this.#groups.size < MOST_KINDS ? kind : OTHERS, limit);
    if (group.left > 0) {
      group.left -= 1;
      return log();
    }
    group.more += 1;
    const { more } = group;
    const times = more === 1 ? '' : ` (the last of ${more} more within ${limit.window / 1_000} s)`;
    group.latest = () => this.#write(line, times);
  }

  #write(line: Line, times = ''): void {
    if (line[0] === 'warn' || line[0] === 'error') this.logger[line[0]](`${line[1]}${times}`);
    else this.logger[line[0]](`${line[1]}${times}`);
  }

  /** Logs what was only counted, and sets no timer from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const [kind, group] of this.#groups) {
      group.stopTimer();
      if (!this.#logCounted(group)) this.#groups.delete(kind);
    }
  }

  #begin(kind: string, limit: Limit): Group {
    const others = this.#groups.get(kind);
    if (others !== undefined) return others;
    const group: Group = { limit, left: limit.most, more: 0, latest: undefined, stopTimer: () => undefined };
    this.#groups.set(kind, group);
    this.#setTimer(kind, group);
    return group;
  }

  #setTimer(kind: string, group: Group): void {
    if (this.#isStopped) return;
    group.stopTimer = this.clock.schedule(group.limit.window, () => {
      // While such lines go on, none is logged at once.
      if (this.#logCounted(group)) this.#setTimer(kind, group);
      else this.#groups.delete(kind);
    });
  }

  /** Returns whether anything was counted. */
  #logCounted(group: Group): boolean {
    const { latest } = group;
    latest?.();
    group.more = 0;
    group.latest = undefined;
    return latest !== undefined;
  }
}
