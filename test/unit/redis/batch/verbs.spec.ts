import { describe, expect, it } from '@jest/globals';
import { Claim, type Place } from '../../../../lib/core/port/claim.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import { mayStand, releaseVerb, severalOr } from '../../../../lib/redis/batch/verbs.js';

const PLACE: Place = { arrived: 1, ttl: 500, isWaiting: true, granted: () => undefined };

describe('severalOr', () => {
  it.each(['A', 'E', 'F', 'K', 'R', 'S'] as const)(
    'takes %s for one resource, and its small letter for several',
    (verb) => {
      expect(severalOr(verb, new Claim(['a'], 'v'))).toBe(verb);
      expect(severalOr(verb, new Claim(['a', 'b'], 'v'))).toBe(verb.toLowerCase());
      expect(severalOr(verb, new Claim(['a', 'b', 'c'], 'v'))).toBe(verb.toLowerCase());
    },
  );
});

describe('releaseVerb', () => {
  it.each([
    ['one resource', new Claim(['a'], 'v'), 'R'],
    ['several resources', new Claim(['a', 'b'], 'v'), 'r'],
    ['what may stand in line', new Claim(['a'], 'v', PLACE), 'L'],
  ])('of %s', (_, claim, verb) => {
    expect(releaseVerb({ claim })).toBe(verb);
  });

  it.each([
    ['with a place in line', PLACE],
    ['without one', undefined],
  ])('leaves the line to the claim that follows, %s', (_, place) => {
    const claim = new Claim(['a'], 'v', place);
    expect(releaseVerb({ claim, isFollowed: true })).toBe('S');
  });

  it('of several resources that are followed has a letter that takes all their keys', () => {
    const claim = new Claim(['a', 'b'], 'v');
    expect(releaseVerb({ claim, isFollowed: true })).toBe('s');
  });
});

describe('mayStand', () => {
  it.each<[Verb, string, boolean]>([
    ['W', 'held', true],
    ['W', 'unknown', true],
    ['W', 'granted', false],
    ['W', 'quarantined', false],
    ['Y', 'passed', true],
    ['Y', 'unknown', true],
    ['Y', 'kept', false],
    ['Y', 'gone', false],
    ['A', 'held', false],
    ['A', 'unknown', false],
    ['L', 'unknown', false],
  ])('says of %s that is answered "%s" whether the claim may stand in line: %s', (verb, answer, may) => {
    expect(mayStand(verb, answer)).toBe(may);
  });
});
