import { describe, expect, it } from '@jest/globals';
import { quarantineOf, readMarker, type Server } from '../../../lib/cli/nodes/node-session.js';

const RUN = 'a1'.repeat(20);
const SINCE = 1_700_000_000_000_000;
const marker = readMarker(`${RUN}|${SINCE}|30000`);

/** A node, so many ms after the marker was written. */
const node = (ms: number, other: Partial<Server> = {}): Server => ({
  marker,
  isUsed: true,
  run: RUN,
  now: SINCE + ms * 1_000,
  ...other,
});
const found = (one: Server, ...others: readonly Server[]) =>
  quarantineOf(one, [one, ...others], (noted = 10_000) => noted);

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
    expect(found(node(ms))?.votesIn).toBe(votesIn);
  });

  it('tells that the node was restarted since, and that its next client begins the quarantine', () => {
    const quarantine = found(node(3_600_000, { run: 'b2'.repeat(20) }));
    expect(quarantine).toEqual({ reason: expect.stringContaining('restarted'), votesIn: 30_000 });
  });

  it('is trusted if the node does not say which server it is', () => {
    expect(found(node(30_000, { run: undefined }))).toBeUndefined();
  });
});

describe('a node without a marker', () => {
  const empty = node(0, { marker: undefined, isUsed: false });

  it('waits for its first client, alone and beside nodes with a marker', () => {
    const reason = 'new or emptied: its first client will put it into quarantine';
    expect(found(empty)).toEqual({ reason, votesIn: 10_000 });
    expect(found(empty, empty)).toEqual({ reason, votesIn: 10_000 });
    expect(found(empty, node(60_000))).toEqual({ reason, votesIn: 30_000 });
    expect(found({ ...empty, isUsed: true }, node(60_000))).toEqual({ reason, votesIn: 30_000 });
  });

  it('votes if locks without any marker show that clients have no quarantine', () => {
    expect(found({ ...empty, isUsed: true })).toBeUndefined();
    expect(found(empty, { ...empty, isUsed: true })).toBeUndefined();
  });
});
