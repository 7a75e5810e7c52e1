import { beforeEach, describe, expect, it } from '@jest/globals';
import { AbortSource } from '../../../lib/engine/abort.js';

describe('AbortSource', () => {
  const reason = new Error('enough');
  let stop: AbortSource;
  let told: unknown[];
  const tell = (name: string) => (why: Error) => void told.push([name, why]);

  beforeEach(() => {
    stop = new AbortSource();
    told = [];
  });

  it('has no reason before it stops', () => {
    stop.listen(tell('a'));
    expect(stop.reason).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('tells all listeners the reason, in the order in which they were added', () => {
    stop.listen(tell('a'));
    stop.listen(tell('b'));
    stop.stop(reason);
    expect(told).toEqual([
      ['a', reason],
      ['b', reason],
    ]);
    expect(stop.reason).toBe(reason);
  });

  it('has its reason by the time it tells', () => {
    stop.listen(() => told.push(stop.reason));
    stop.stop(reason);
    expect(told).toEqual([reason]);
  });

  it('does not tell a listener that was removed', () => {
    stop.listen(tell('a'))();
    stop.listen(tell('b'));
    stop.stop(reason);
    expect(told).toEqual([['b', reason]]);
  });

  it('does not tell a listener that an earlier listener removes', () => {
    let ignore = (): unknown => undefined;
    stop.listen(() => void ignore());
    ignore = stop.listen(tell('b'));
    stop.stop(reason);
    expect(told).toEqual([]);
  });

  it('stops once, for the first reason', () => {
    stop.listen(tell('a'));
    stop.stop(reason);
    stop.stop(new Error('another'));
    expect(told).toEqual([['a', reason]]);
    expect(stop.reason).toBe(reason);
  });

  it('allows a listener to be removed after it stopped', () => {
    const ignore = stop.listen(tell('a'));
    stop.stop(reason);
    ignore();
    expect(told).toHaveLength(1);
  });

  it('lets go of one among very many without a search', () => {
    const ignored = Array.from({ length: 100_000 }, () => stop.listen(tell('ignored')));
    stop.listen(tell('kept'));
    for (const ignore of ignored.reverse()) ignore();
    stop.stop(reason);
    expect(told).toEqual([['kept', reason]]);
  });
});
