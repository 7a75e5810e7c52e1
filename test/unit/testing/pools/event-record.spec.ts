import { describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../../lib/engine/events.js';
import { EventRecord } from '../../../../lib/testing/pools/event-record.js';

const contended = (resource: string): LockEvent => ({ type: 'contended', resources: [resource, 'both'] });
const up: LockEvent = { type: 'node-up', node: 'node-1' };

describe('EventRecord', () => {
  it('keeps what has happened until it is cleared', () => {
    const record = new EventRecord();
    record.add(contended('a'));
    record.add(up);
    const before = record.events;
    record.clear();
    expect(before).toEqual([contended('a'), up]);
    expect(record.events).toEqual([]);
  });

  it('counts what has happened, to one resource or to any', () => {
    const record = new EventRecord();
    for (const event of [contended('a'), contended('b'), up]) record.add(event);
    expect(record.count('contended')).toBe(2);
    expect(record.count('contended', 'a')).toBe(1);
    expect(record.count('contended', 'both')).toBe(2);
    expect(record.count('node-up', 'a')).toBe(0);
    expect(record.count('released')).toBe(0);
  });
});
