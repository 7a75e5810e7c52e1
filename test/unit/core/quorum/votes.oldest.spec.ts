import { expect, it } from '@jest/globals';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

it('votes know the arrival of the oldest waiter that one of their nodes saw, if all of their nodes tell it', () => {
  const clock = new VirtualClock();
  const votes = new Votes(5);
  const validity = Validity.of(clock.now(), 1_000, 0.01);
  [30, 10, 20].forEach((oldest, nodeIndex) => votes.grant(nodeIndex, { validity, fence: 1, oldest }));
  expect(votes.oldest(clock)).toBe(10);
  votes.grant(3, { validity, fence: 1 });
  expect(votes.oldest(clock)).toBe(0);
});
