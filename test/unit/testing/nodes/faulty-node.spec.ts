import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import type { NodeEvent } from '../../../../lib/core/port/lock-node.js';
import { FaultyNode } from '../../../../lib/testing/nodes/faulty-node.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const MAX_TTL = 1_000;
const DOWN = { kind: 'unknown', reason: 'connection refused', sent: false };
const BROKEN = { kind: 'unknown', reason: 'connection closed', sent: true };

describe('FaultyNode', () => {
  let clock: VirtualClock;
  let node: FaultyNode;
  let events: NodeEvent[];
  /** What was answered, in order. */
  let answers: unknown[];
  const claim = new Claim(['a'], 'ours');
  const other = new Claim(['a'], 'theirs');

  const note = (answer: unknown): void => void answers.push(answer);
  const kinds = (): unknown[] => answers.map((answer) => (answer as { kind: string }).kind);
  const acquire = (asked = claim): void => node.acquire(new SingleCall(asked, 500, note), 0);
  const release = (asked = claim, ttl = 500): void => node.release(new SingleCall(asked, ttl, note), 0);
  const settle = (): Promise<void> => clock.advance(0);

  beforeEach(async () => {
    clock = new VirtualClock();
    node = new FaultyNode('node', clock, { maxTtl: MAX_TTL, restartQuarantine: false });
    [events, answers] = [[], []];
    await node.open((event) => events.push(event));
  });

  it('is silent about being there, and votes at once', async () => {
    acquire();
    await settle();
    expect([kinds(), events]).toEqual([['granted'], []]);
  });

  describe('that is down', () => {
    it('answers every verb at once that nothing was sent, and keeps what it has', async () => {
      acquire();
      await settle();
      node.down();
      answers.length = 0;
      acquire();
      node.yield(new SingleCall(claim, 500, note), 0);
      node.raise(new SingleCall(claim, 0, note), 0);
      node.extend(new SingleCall(claim, 500, note), 0);
      release(other);
      node.probe(note);
      expect(answers).toEqual([]);
      await Promise.resolve();
      expect(answers).toEqual(Array(6).fill(DOWN));
      expect(node.valueOf('a')).toBe('ours');
    });

    it('tells of it once, and of its return', async () => {
      node.down();
      node.down();
      node.recover();
      node.recover();
      expect(events).toEqual([{ type: 'node-down', reason: 'connection closed' }, { type: 'node-up' }]);
    });

    it('tells those who connect meanwhile', async () => {
      node.down();
      const heard: NodeEvent[] = [];
      await node.open((event) => heard.push(event));
      expect(heard).toEqual([{ type: 'node-down', reason: 'connection refused' }]);
    });

    it('hears of the release that it is owed once it is back', async () => {
      acquire();
      await settle();
      node.down();
      release();
      node.recover();
      await settle();
      expect(node.valueOf('a')).toBeUndefined();
    });

    it('is owed no release of a lease that is over by then', async () => {
      acquire();
      await settle();
      node.down();
      release(claim, 300);
      await clock.advance(300);
      node.recover();
      await settle();
      expect(node.valueOf('a')).toBe('ours');
    });

    it('breaks what is on its way', async () => {
      node.slow(100);
      acquire();
      node.down();
      await clock.advance(100);
      expect([answers, node.valueOf('a')]).toEqual([[BROKEN], undefined]);
    });
  });

  describe('that is slow', () => {
    it('answers so many ms later, in the order of the calls', async () => {
      node.slow(100);
      acquire();
      await clock.advance(50);
      node.probe(note);
      await clock.advance(49);
      expect(answers).toEqual([]);
      await clock.advance(1);
      expect(kinds()).toEqual(['granted']);
      await clock.advance(50);
      expect(kinds()).toEqual(['granted', 'up']);
    });

    it('does not let what is sent later overtake, also where it is less slow by then', async () => {
      node.slow(100);
      acquire();
      node.slow(10);
      release();
      acquire(other);
      await clock.advance(10);
      expect(kinds()).toEqual(['granted', 'released', 'granted']);
    });

    it('answers at once what is on its way when it recovers', async () => {
      node.slow(100);
      acquire();
      node.recover();
      await settle();
      expect(kinds()).toEqual(['granted']);
      await clock.advance(200);
      expect(kinds()).toEqual(['granted']);
    });

    it.each([-1, NaN, Infinity, '5'])('is not slow by %p ms', (ms) => {
      expect(() => node.slow(ms as number)).toThrow(/slow must be a number of ms from 0 to/);
    });
  });

  describe('that is frozen', () => {
    it('does nothing until it recovers, then all of it in order', async () => {
      node.freeze();
      acquire();
      release();
      acquire(other);
      await clock.advance(60_000);
      expect([answers, node.valueOf('a')]).toEqual([[], undefined]);
      node.recover();
      await settle();
      expect([kinds(), node.valueOf('a')]).toEqual([['granted', 'released', 'granted'], 'theirs']);
      expect(events).toEqual([]);
    });

    it('can be reached again where it was down', async () => {
      acquire();
      await settle();
      node.down();
      release();
      node.freeze();
      expect(events.at(-1)).toEqual({ type: 'node-up' });
      expect(node.valueOf('a')).toBe('ours');
      node.recover();
      await settle();
      expect(node.valueOf('a')).toBeUndefined();
    });
  });

  it('settles what is open and tells nothing any more once it is closed', async () => {
    node.slow(100);
    acquire();
    await node.close();
    await settle();
    node.down();
    expect([answers, events, clock.timers]).toEqual([[BROKEN], [], 0]);
  });
});
