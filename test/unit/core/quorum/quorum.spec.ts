import { describe, expect, it } from '@jest/globals';
import { quorumOf, verdict } from '../../../../lib/core/quorum/quorum.js';
import { QUORUMS } from '../../../support/ballot-box.js';

describe('quorumOf', () => {
  it.each(QUORUMS)('of %i nodes is %i', (nodes, votes) => {
    expect(quorumOf(nodes)).toBe(votes);
  });

  it('is such that two quorums always share a node', () => {
    for (let nodes = 1; nodes <= 20; nodes += 1) expect(2 * quorumOf(nodes)).toBeGreaterThan(nodes);
  });
});

describe('verdict', () => {
  it.each([
    [1, 1, 0, 'won'],
    [1, 0, 1, 'denied'],
    [2, 1, 0, 'open'],
    [2, 1, 1, 'denied'],
    [3, 1, 1, 'open'],
    [3, 2, 0, 'won'],
    [3, 0, 2, 'denied'],
    [4, 2, 1, 'open'],
    [4, 2, 2, 'denied'],
    [5, 2, 2, 'open'],
    [5, 3, 2, 'won'],
    [5, 0, 3, 'denied'],
  ] as const)('over %i nodes with %i for and %i against is %s', (nodes, granted, refused, outcome) => {
    expect(verdict(nodes, granted, refused)).toBe(outcome);
  });

  it('is never open once every node has answered, a tie included', () => {
    for (let nodes = 1; nodes <= 8; nodes += 1) {
      for (let granted = 0; granted <= nodes; granted += 1) {
        expect(verdict(nodes, granted, nodes - granted)).toBe(granted >= quorumOf(nodes) ? 'won' : 'denied');
      }
    }
  });

  it('is lost no earlier than a quorum has become impossible', () => {
    for (let nodes = 1; nodes <= 8; nodes += 1) {
      for (let refused = 0; refused <= nodes; refused += 1) {
        expect(verdict(nodes, 0, refused) === 'denied').toBe(nodes - refused < quorumOf(nodes));
      }
    }
  });
});
