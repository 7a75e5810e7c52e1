import { describe, expect, it } from '@jest/globals';
import type { Ask, Hold } from '../record.js';
import { lateAborts } from './aborts.js';
import { handOffs } from './hand-off.js';
import { leaksOf } from './leaks.js';
import { recoveryOf } from './recovery.js';
import { unexplained } from './updates.js';

function hold(id: string, from: number, to: number, more: Partial<Hold> = {}): Hold {
  return { id, client: 'client 1.1', resource: 'a', token: from, from, to, until: to, lost: undefined, ...more };
}

function ask(id: string, asked: number, answered?: number, more: Partial<Ask> = {}): Ask {
  return { id, client: 'client 1.1', resource: 'a', asked, answered, code: undefined, ...more };
}

describe('lateAborts', () => {
  it('finds a signal that came after the validity', () => {
    expect(lateAborts([hold('1', 0, 100, { lost: 300 })], [])).toHaveLength(1);
  });

  it('forgives a process that stood still meanwhile, and a timer its imprecision', () => {
    const stalls = [{ client: 'client 1.1', from: 90, to: 300 }];
    expect(lateAborts([hold('1', 0, 100, { lost: 300 })], stalls)).toEqual([]);
    expect(lateAborts([hold('1', 0, 100, { lost: 110 })], [])).toEqual([]);
  });
});

describe('recoveryOf', () => {
  const calm = { from: 100, to: 400, limit: 200 };

  it('tells how long it took until the last waiter was served', () => {
    expect(recoveryOf([ask('1', 90, 150), ask('2', 50, 180), ask('3', 120, 390)], calm)).toEqual({
      took: 80,
      unserved: [],
      starved: [],
    });
  });

  it('finds a client that got nothing at all', () => {
    expect(recoveryOf([ask('1', 90, 150, { code: 'RESOURCE_LOCKED' })], calm).starved).toEqual(['client 1']);
  });

  it('finds that of many callers that want several resources none was served', () => {
    const inVain = Array.from({ length: 6 }, (_, index) => ask(`${index}`, 120, 390, { code: 'AbortError' }));
    const both = inVain.flatMap((one) => [one, { ...one, resource: 'b' }]);
    const starved = 'everybody who wanted several resources';
    expect(recoveryOf([...both, ask('x', 120, 130)], calm).starved).toEqual([starved]);
    const served = ['a', 'b'].map((resource) => ask('y', 120, 130, { resource }));
    expect(recoveryOf([...both, ...served], calm).starved).toEqual([]);
  });

  it('finds callers that waited for longer than the limit, or for ever', () => {
    const { unserved } = recoveryOf([ask('1', 90, 350), ask('2', 90)], calm);
    expect(unserved.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('expects nothing for a process that was killed and has a successor', () => {
    const asks = [ask('1', 90), ask('2', 110, 120, { client: 'client 1.2' })];
    expect(recoveryOf(asks, calm).unserved).toEqual([]);
  });
});

describe('unexplained', () => {
  const update = { resource: 'a', writer: '2', other: '1', at: 15 };

  it('finds a lost update of two holders that both wrote in time', () => {
    expect(unexplained([update], [hold('1', 0, 20), hold('2', 10, 20)])).toEqual([update]);
  });

  it('forgives one where a writer came after its validity', () => {
    expect(unexplained([update], [hold('1', 0, 9), hold('2', 10, 20)])).toEqual([]);
  });
});

describe('leaksOf', () => {
  it('allows markers, counters and lines, and no locks', () => {
    const keys = [['p:~node', 'p:a~fence'], ['p:a'], ['p:a~queue']];
    expect(leaksOf(keys, 'p:', new Set(['a']))).toEqual(['p:a on node 2']);
  });
});

describe('handOffs', () => {
  it('measures from the end of a hold to the beginning of the next one whose caller already waited', () => {
    const holds = [hold('1', 0, 10), hold('2', 12, 20), hold('3', 50, 60)];
    const asks = [ask('1', 0, 0), ask('2', 5, 12), ask('3', 40, 50)];
    expect(handOffs('a', asks, holds)).toEqual({ count: 1, p50: 2, p99: 2 });
  });
});
