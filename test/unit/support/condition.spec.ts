import { describe, expect, it } from '@jest/globals';
import { conditionOf } from '../../support/operations/condition.js';
import { parseScrape } from '../../support/scrape.js';

const SERIES = parseScrape(`
margin{pool="one",app="a"} 1
margin{pool="one",app="b"} -1
margin{pool="two",app="a"} 0
offset_seconds{port="1"} -9
offset{port="2",kind="far"} 3
`);

describe('conditionOf', () => {
  it.each([
    ['min by (pool) (margin) < 0', [{ pool: 'one' }]],
    ['max by (pool) (margin) < 0', []],
    ['sum by (pool) (margin) == 0', [{ pool: 'one' }, { pool: 'two' }]],
    ['min by (pool, app) (margin) >= 1', [{ pool: 'one', app: 'a' }]],
    ['min by (pool) (margin{app="a"}) != 0', [{ pool: 'one' }]],
    ['min by (pool) (margin{app!="a", pool=~"o.*"}) <= -1', [{ pool: 'one' }]],
    ['max by (port) (abs({__name__=~"offset(_seconds)?"})) > 7.5', [{ port: '1' }]],
    ['max by (port) (offset{kind!~"f"}) > 0', [{ port: '2' }]],
    ['max by (port) (offset{kind=""}) > 0', []],
    ['min by (pool) (margin) <= 0 and max by (pool) (margin) > 0', [{ pool: 'one' }]],
    ['min by (pool) (margin) <= 0 and max by (app) (margin) > 0', []],
    ['max by (port) (nothing) > 0', []],
  ])('tells where it is true that %s', (expression, labels) => {
    expect(conditionOf(expression).holds(SERIES)).toEqual(labels);
  });

  it('can be asked with another threshold than its own', () => {
    const condition = conditionOf('max by (port) (offset) > 7.5');
    expect(condition.threshold).toBe(7.5);
    expect(condition.holds(SERIES, 2)).toEqual([{ port: '2' }]);
  });

  it.each([
    'sum by (pool) (increase(margin[5m])) > 0',
    'margin > 0',
    'median by (pool) (margin) > 0',
    'min by (pool) (margin) > 0 or vector(0)',
    'min by (pool) (margin{pool}) > 0',
    'min by (pool) (margin offset 5m) > 0',
    'min by (pool) () > 0',
  ])('says that it does not understand: %s', (expression) => {
    expect(() => conditionOf(expression)).toThrow(/^this test does not understand so much of PromQL: /);
  });
});
