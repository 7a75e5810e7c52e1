import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import type { NodeEvent } from '../../../../lib/core/port/lock-node.js';
import { BROKEN, NodeCaller } from '../../../support/node-caller.js';

const DOWN = { kind: 'unknown', reason: 'connection refused', sent: false };

describe('FaultyNode', () => {
  let caller: NodeCaller;

  beforeEach(async () => {
    caller = await NodeCaller.open();
  });

  it('is silent about being there, and votes at once', async () => {
    caller.acquire();
    await caller.settle();
    expect([caller.kinds, caller.events]).toEqual([['granted'], []]);
  });

  describe('that is down', () => {
    it('answers every verb at once that nothing was sent, and keeps what it has', async () => {
      caller.acquire();
      await caller.settle();
      caller.node.down();
      caller.answers.length = 0;
      caller.acquire();
      caller.node.yield(new SingleCall(caller.claim, 500, caller.note), 0);
      caller.node.raise(new SingleCall(caller.claim, 0, caller.note), 0);
      caller.node.extend(new SingleCall(caller.claim, 500, caller.note), 0);
      caller.release(caller.other);
      caller.node.probe(caller.note);
      expect(caller.answers).toEqual([]);
      await Promise.resolve();
      expect(caller.answers).toEqual(Array(6).fill(DOWN));
      expect(caller.node.valueOf('a')).toBe('ours');
    });

    it('tells of it once, and of its return', async () => {
      caller.node.down();
      caller.node.down();
      caller.node.recover();
      caller.node.recover();
      expect(caller.events).toEqual([{ type: 'node-down', reason: 'connection closed' }, { type: 'node-up' }]);
    });

    it('tells clients that connect meanwhile', async () => {
      caller.node.down();
      const heard: NodeEvent[] = [];
      await caller.node.open((event) => heard.push(event));
      expect(heard).toEqual([{ type: 'node-down', reason: 'connection refused' }]);
    });

    it('hears of the release that it is owed once it is back', async () => {
      caller.acquire();
      await caller.settle();
      caller.node.down();
      caller.release();
      caller.node.recover();
      await caller.settle();
      expect(caller.node.valueOf('a')).toBeUndefined();
    });

    it('is owed no release of a lease that is over by then', async () => {
      caller.acquire();
      await caller.settle();
      caller.node.down();
      caller.release(caller.claim, 300);
      await caller.clock.advance(300);
      caller.node.recover();
      await caller.settle();
      expect(caller.node.valueOf('a')).toBe('ours');
    });

    it('breaks what is on its way', async () => {
      caller.node.slow(100);
      caller.acquire();
      caller.node.down();
      await caller.clock.advance(100);
      expect([caller.answers, caller.node.valueOf('a')]).toEqual([[BROKEN], undefined]);
    });
  });

  describe('that is slow', () => {
    it('answers so many ms later, in the order of the calls', async () => {
      caller.node.slow(100);
      caller.acquire();
      await caller.clock.advance(50);
      caller.node.probe(caller.note);
      await caller.clock.advance(49);
      expect(caller.answers).toEqual([]);
      await caller.clock.advance(1);
      expect(caller.kinds).toEqual(['granted']);
      await caller.clock.advance(50);
      expect(caller.kinds).toEqual(['granted', 'up']);
    });

    it('does not let what is sent later overtake, also where it is less slow by then', async () => {
      caller.node.slow(100);
      caller.acquire();
      caller.node.slow(10);
      caller.release();
      caller.acquire(caller.other);
      await caller.clock.advance(10);
      expect(caller.kinds).toEqual(['granted', 'released', 'granted']);
    });

    it('answers at once what is on its way when it recovers', async () => {
      caller.node.slow(100);
      caller.acquire();
      caller.node.recover();
      await caller.settle();
      expect(caller.kinds).toEqual(['granted']);
      await caller.clock.advance(200);
      expect(caller.kinds).toEqual(['granted']);
    });

    it.each([-1, NaN, Infinity, '5'])('is not slow by %p ms', (ms) => {
      expect(() => caller.node.slow(ms as number)).toThrow(/slow must be a number of ms from 0 to/);
    });
  });

  describe('that is frozen', () => {
    it('does nothing until it recovers, then all of it in order', async () => {
      caller.node.freeze();
      caller.acquire();
      caller.release();
      caller.acquire(caller.other);
      await caller.clock.advance(60_000);
      expect([caller.answers, caller.node.valueOf('a')]).toEqual([[], undefined]);
      caller.node.recover();
      await caller.settle();
      expect([caller.kinds, caller.node.valueOf('a')]).toEqual([['granted', 'released', 'granted'], 'theirs']);
      expect(caller.events).toEqual([]);
    });

    it('can be reached again where it was down', async () => {
      caller.acquire();
      await caller.settle();
      caller.node.down();
      caller.release();
      caller.node.freeze();
      expect(caller.events.at(-1)).toEqual({ type: 'node-up' });
      expect(caller.node.valueOf('a')).toBe('ours');
      caller.node.recover();
      await caller.settle();
      expect(caller.node.valueOf('a')).toBeUndefined();
    });
  });

  it('settles what is open and tells nothing any more once it is closed', async () => {
    caller.node.slow(100);
    caller.acquire();
    await caller.node.close();
    await caller.settle();
    caller.node.down();
    expect([caller.answers, caller.events, caller.clock.timers]).toEqual([[BROKEN], [], 0]);
  });
});
