import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import { Batch } from '../../../../lib/redis/batch/batch.js';

describe('Batch', () => {
  const question = (...resources: string[]) => new SingleCall<never>(new Claim(resources, 'ours'), 1_000);
  let batch: Batch;

  beforeEach(() => {
    batch = new Batch();
  });

  it('keeps operations in order, each with its question and its node index', () => {
    const [first, second] = [question('a'), question('b', 'c')];
    batch.add('A', first, 2);
    batch.add('e', second, 0);
    expect([batch.verbs, batch.questions, batch.nodeIndexes]).toEqual([
      ['A', 'e'],
      [first, second],
      [2, 0],
    ]);
  });

  it('knows how many keys it has, and how long their names are', () => {
    expect([batch.keyCount, batch.length]).toEqual([0, 0]);
    batch.add('A', question('one'), 0);
    batch.add('a', question('two', 'three', 'one'), 0);
    expect(batch.keyCount).toBe(4);
    expect(batch.length).toBe(14);
  });

  it.each(['A', 'W', 'E', 'F', 'K', 'R', 'L', 'S', 'Y'] as const)(
    'takes no %s for several resources, whose keys would shift those of all others',
    (verb) => {
      batch.add(verb, question('one'), 0);
      expect(() => batch.add(verb, question('one', 'two'), 0)).toThrow(`${verb} is for one resource, not for 2`);
      expect([batch.verbs, batch.keyCount, batch.length]).toEqual([[verb], 1, 3]);
    },
  );

  it.each(['R', 'L', 'r'] as const)('counts the keys of %s twice, which may serve a waiter', (verb) => {
    batch.add(verb, question('one'), 0);
    expect([batch.weight, batch.keyCount]).toEqual([2, 1]);
  });

  it.each(['A', 'W', 'E', 'F', 'K', 'S', 's', 'Y'] as const)('counts those of %s once', (verb) => {
    batch.add(verb, question('one'), 0);
    expect([batch.weight, batch.keyCount]).toEqual([1, 1]);
  });

  it('is like one that asks the same in the same order, for whatever index', () => {
    const [first, second] = [question('a'), question('b')];
    const other = new Batch();
    for (const [index, one] of [batch, other].entries()) {
      one.add('A', first, index);
      one.add('R', second, index);
    }
    expect(batch.isLike(other)).toBe(true);
  });

  it.each<[string, (other: Batch, first: SingleCall<never>, second: SingleCall<never>) => void]>([
    ['asks less', (other, first) => other.add('A', first, 0)],
    [
      'asks more',
      (other, first, second) => {
        other.add('A', first, 0);
        other.add('R', second, 0);
        other.add('R', second, 0);
      },
    ],
    [
      'asks in another order',
      (other, first, second) => {
        other.add('R', second, 0);
        other.add('A', first, 0);
      },
    ],
    [
      'asks something else of the same',
      (other, first, second) => {
        other.add('W', first, 0);
        other.add('R', second, 0);
      },
    ],
    [
      'asks the same for another',
      (other, first) => {
        other.add('A', first, 0);
        other.add('R', question('b'), 0);
      },
    ],
  ])('is not like one that %s', (_case, fill) => {
    const [first, second] = [question('a'), question('b')];
    batch.add('A', first, 0);
    batch.add('R', second, 0);
    const other = new Batch();
    fill(other, first, second);
    expect([batch.isLike(other), other.isLike(batch)]).toEqual([false, false]);
  });
});
