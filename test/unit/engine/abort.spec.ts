import { beforeEach, describe, expect, it } from '@jest/globals';
import { AbortSource } from '../../../lib/engine/abort.js';

describe('AbortSource', () => {
  const reason = new Error('enough');
  let stop: AbortSource;
  let told: unknown[];
  const tell = (name: string) => (why: Error) => void told.push([name, why, stop.reason]);

  beforeEach(() => {
    stop = new AbortSource();
    told = [];
  });

  it('tells each listener once, in the order in which they were added, for the first reason', () => {
    const ignore = stop.listen(tell('a'));
    stop.listen(tell('b'));
    stop.stop(reason);
    ignore();
    stop.stop(new Error('another'));
    expect(told).toEqual([
      ['a', reason, reason],
      ['b', reason, reason],
    ]);
  });

  it('tells no listener that was removed, also by an earlier listener', () => {
    let ignore = (): unknown => undefined;
    stop.listen(tell('removed'))();
    stop.listen(() => void ignore());
    ignore = stop.listen(tell('removed by another'));
    stop.stop(reason);
    expect(told).toEqual([]);
  });

  it('lets go of one among very many without a search', () => {
    const ignored = Array.from({ length: 100_000 }, () => stop.listen(tell('ignored')));
    for (const ignore of ignored.reverse()) ignore();
    stop.stop(reason);
    expect(told).toEqual([]);
  });
});
