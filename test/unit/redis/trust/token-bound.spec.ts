import { describe, expect, it } from '@jest/globals';
import { TokenBound } from '../../../../lib/redis/trust/token-bound.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('TokenBound', () => {
  const maxTtl = 10_000;

  it('allows tokens up to maxTtl ahead of our clock, whenever they come', async () => {
    const clock = new VirtualClock();
    const bound = new TokenBound({ maxTtl }, clock);
    const at = (ms: number): number => (clock.now().wall + ms) * 1_000;
    for (let turn = 0; turn < 3; turn += 1) {
      expect([at(-1e9), at(0), at(maxTtl)].map((token) => bound.allows(token))).toEqual([true, true, true]);
      expect([at(maxTtl) + 1, at(3_600_000)].map((token) => bound.allows(token))).toEqual([false, false]);
      await clock.advance(7_000);
    }
  });

  it('allows what it allowed once, also where our clock is set back and another token is too far ahead then', () => {
    let wall = 1_000_000;
    const bound = new TokenBound({ maxTtl }, { now: () => ({ monotonic: 0, wall }) });
    const token = (wall + maxTtl) * 1_000;
    expect(bound.allows(token)).toBe(true);
    wall -= maxTtl;
    expect([bound.allows(token + 1), bound.allows(token)]).toEqual([false, true]);
  });

  it('takes a vote for none whose token is further ahead', () => {
    const clock = new VirtualClock();
    const bound = new TokenBound({ maxTtl }, clock);
    const voteAt = (ms: number) => ({ kind: 'granted', fence: (clock.now().wall + ms) * 1_000 }) as const;
    const [near, far] = [voteAt(maxTtl), voteAt(maxTtl + 1)];
    expect(bound.count(near)).toBe(near);
    expect(bound.count(far)).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/ahead of our clock/),
      sent: true,
      refused: true,
    });
    const held = { kind: 'held', remaining: 1, owner: 'other' } as const;
    expect(bound.count(held)).toBe(held);
  });
});
