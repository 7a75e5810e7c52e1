import { describe, expect, it } from '@jest/globals';
import { quarantineOf, readMarker } from '../../../../lib/cli/nodes/marker.js';

const RUN = 'a1'.repeat(20);
const SINCE = 1_700_000_000_000_000;
const marker = readMarker(`${RUN}|${SINCE}|30000`);

/** Ms after the marker was written. */
const after = (ms: number) => SINCE + ms * 1_000;

describe('the marker of a node', () => {
  it('is read as clients have written it', () => {
    expect(marker).toEqual({ run: RUN, since: SINCE, longest: 30_000 });
    for (const text of [null, '', 'x', `${RUN}|1`, `${RUN}|x|30000`]) expect(readMarker(text)).toBeUndefined();
  });

  it.each<[string, number, number | undefined]>([
    ['begins', 0, 30_000],
    ['nearly over', 29_999, 1],
    ['over', 30_000, undefined],
  ])('tells for how long the node does not vote: %s', (_case, ms, votesIn) => {
    expect(quarantineOf(marker, { run: RUN, now: after(ms) })?.votesIn).toBe(votesIn);
  });

  it('tells that the node was restarted since, and that its next client begins the quarantine', () => {
    const quarantine = quarantineOf(marker, { run: 'b2'.repeat(20), now: after(3_600_000) });
    expect(quarantine).toEqual({ reason: expect.stringContaining('restarted'), votesIn: 30_000 });
  });

  it('is trusted where the node does not say which server it is', () => {
    expect(quarantineOf(marker, { run: undefined, now: after(30_000) })).toBeUndefined();
  });

  it('is missed only where other nodes have one: else no client has quarantine', () => {
    expect(quarantineOf(undefined, { run: RUN, now: after(0) })).toBeUndefined();
    expect(quarantineOf(undefined, { run: RUN, now: after(0), others: marker })).toMatchObject({ votesIn: 30_000 });
  });
});
