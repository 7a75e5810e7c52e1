import { expect, it } from '@jest/globals';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const vote = { validity: new Validity(new VirtualClock().now(), 100), fence: 5 };

it.each<[string, (votes: Votes) => void, boolean]>([
  ['has refused', (votes) => votes.refuse(4, 'held'), true],
  ['was silent', (votes) => votes.refuse(4, 'unknown'), false],
  ['has refused and then granted', (votes) => (votes.refuse(4, 'held'), votes.grant(4, vote)), false],
  ['refused before it was our turn', (votes) => (votes.refuse(4, 'held'), votes.grantMeanwhile(0, vote)), false],
])('where a node %s, its counter is known to differ or not', (_, happen, differs) => {
  const votes = new Votes(5);
  for (const nodeIndex of [0, 1, 2]) votes.grant(nodeIndex, vote);
  happen(votes);
  expect(votes.differFrom(5)).toBe(differs);
});
