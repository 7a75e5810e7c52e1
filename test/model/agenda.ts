export type Task = () => void;

export interface Event {
  readonly at: number;
  readonly serial: number;
  task: Task | undefined;
}

/** Returns a generator of numbers from 0 to 1 that are the same for each seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.serial < other.serial);

/** A queue of events by time. */
export class Agenda {
  readonly #events: Event[] = [];

  get first(): Event | undefined {
    return this.#events[0];
  }

  add(event: Event): void {
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (isBefore(events[up]!, event)) break;
      events[at] = events[up]!;
      at = up;
    }
    events[at] = event;
  }

  take(): Event {
    const events = this.#events;
    const first = events[0]!;
    const last = events.pop()!;
    if (events.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= events.length) break;
      if (down + 1 < events.length && isBefore(events[down + 1]!, events[down]!)) down += 1;
      if (isBefore(last, events[down]!)) break;
      events[at] = events[down]!;
      at = down;
    }
    events[at] = last;
    return first;
  }
}
