import { describe, expect, it } from '@jest/globals';
import { Dice } from './dice.js';
import { EventQueue } from './event-queue.js';

const nothing = (): void => undefined;

function taken(queue: EventQueue): { readonly at: number; readonly rank: number; readonly order: number }[] {
  const events = [];
  for (let event = queue.take(); event; event = queue.take()) events.push(event);
  return events;
}

describe('EventQueue', () => {
  it('gives what was put in by time, then by rank, then as it came', () => {
    const queue = new EventQueue();
    const dice = new Dice(1);
    for (let count = 0; count < 500; count += 1) queue.add(dice.whole(0, 20), dice.whole(0, 2), nothing);
    const events = taken(queue);
    const sorted = [...events].sort((a, b) => a.at - b.at || a.rank - b.rank || a.order - b.order);
    expect(events).toHaveLength(500);
    expect(events).toEqual(sorted);
  });

  it('is empty at first and in the end', () => {
    const queue = new EventQueue();
    expect(queue.next).toBeUndefined();
    queue.add(1, 0, nothing);
    expect(queue.take()).toMatchObject({ at: 1 });
    expect(queue.take()).toBeUndefined();
  });
});
