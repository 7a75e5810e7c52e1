import { describe, expect, it } from '@jest/globals';
import type { ClientRecord } from '../record.js';
import { toHistory } from './history.js';

const ASKED: ClientRecord = { what: 'asked', id: 'x', at: 1, resources: ['a'] };
const ACQUIRED: ClientRecord = { what: 'acquired', id: 'x', at: 2, until: 10, latest: 11, token: 7, value: 'v' };

function holdOf(...records: ClientRecord[]) {
  return toHistory([{ client: 'client 1.1', records: [ASKED, ACQUIRED, ...records] }]).holds[0];
}

describe('toHistory', () => {
  it('ends a hold with its release', () => {
    expect(holdOf({ what: 'released', id: 'x', at: 5 })).toMatchObject({ from: 2, to: 5, until: 10, token: 7 });
  });

  it('ends the hold of a process that was killed with its validity', () => {
    expect(holdOf()).toMatchObject({ from: 2, to: 10 });
  });

  it('ends the hold of a process that stood still with its validity, not when it noticed', () => {
    expect(holdOf({ what: 'lost', id: 'x', at: 90 }, { what: 'released', id: 'x', at: 95 })).toMatchObject({ to: 10 });
  });

  it('ends a hold with the abort of its signal', () => {
    expect(holdOf({ what: 'lost', id: 'x', at: 4 }, { what: 'released', id: 'x', at: 6 })).toMatchObject({
      to: 4,
      lost: 4,
    });
  });

  it('lets an extension lengthen the claim', () => {
    expect(holdOf({ what: 'extended', id: 'x', at: 8, until: 18, latest: 18 })).toMatchObject({ to: 18 });
  });

  it('keeps what a holder saw after it had blocked its event loop, beside the latest that it could claim', () => {
    const { looks } = toHistory([
      {
        client: 'client 1.1',
        records: [
          ASKED,
          ACQUIRED,
          { what: 'looked', id: 'x', at: 5, left: 5, aborted: false },
          { what: 'extended', id: 'x', at: 8, until: 18, latest: 19 },
          { what: 'looked', id: 'x', at: 25, left: 0, aborted: true },
        ],
      },
    ]);
    expect(looks).toMatchObject([
      { id: 'x', at: 5, latest: 11, left: 5, aborted: false },
      { id: 'x', at: 25, latest: 19, left: 0, aborted: true },
    ]);
  });

  it('ends the hold of one that blocked its event loop with its validity, whenever it looked', () => {
    expect(holdOf({ what: 'looked', id: 'x', at: 90, left: 0, aborted: true })).toMatchObject({ from: 2, to: 10 });
  });

  it('makes one hold and one ask for each resource', () => {
    const { asks, holds } = toHistory([
      { client: 'c', records: [{ what: 'asked', id: 'x', at: 1, resources: ['a', 'b'] }, ACQUIRED] },
    ]);
    expect(holds.map(({ resource }) => resource)).toEqual(['a', 'b']);
    expect(asks.map(({ answered }) => answered)).toEqual([2, 2]);
  });

  it('makes one hold of each slot of a permit, and one ask', () => {
    const { asks, holds } = toHistory([{ client: 'c', records: [ASKED, { ...ACQUIRED, slots: [0, 1] }] }]);
    expect(holds).toMatchObject([
      { resource: 'a~0', kind: 'permit' },
      { resource: 'a~1', kind: 'permit' },
    ]);
    expect(asks.map(({ resource }) => resource)).toEqual(['a']);
  });

  it('lets a term last until its clean-up is over, or its lease, and asks nothing', () => {
    const elected: ClientRecord = { what: 'elected', id: 't', at: 2, until: 10, latest: 11, token: 7, resource: 'r' };
    const ended: ClientRecord = { what: 'ended', id: 't', at: 4, token: 7, reason: 'resigned' };
    const termOf = (...records: ClientRecord[]) => toHistory([{ client: 'c', records: [elected, ended, ...records] }]);
    expect(termOf({ what: 'released', id: 't', at: 6 })).toMatchObject({
      asks: [],
      holds: [{ resource: 'r', token: 7, from: 2, to: 6, kind: 'term', reason: 'resigned', cleaned: 6 }],
    });
    expect(termOf({ what: 'released', id: 't', at: 16 }).holds).toMatchObject([{ to: 10, cleaned: 16 }]);
  });

  it('keeps why an ask was in vain, what troubled, and what was told of nodes', () => {
    const history = toHistory([
      {
        client: 'c',
        records: [
          ASKED,
          { what: 'failed', id: 'x', at: 3, code: 'RESOURCE_LOCKED' },
          { what: 'trouble', at: 4, reason: 'oh' },
          { what: 'node', at: 4, event: 'node-down', node: 'n', why: 'silent for 12 ms' },
          { what: 'node', at: 5, event: 'node-down', node: 'n', why: 'silent for 13 ms' },
        ],
      },
    ]);
    expect(history.asks[0]).toMatchObject({ code: 'RESOURCE_LOCKED', answered: 3 });
    expect(history.troubles).toEqual(['c: oh']);
    expect([...history.nodeEvents]).toEqual([['node-down: silent for # ms', 2]]);
  });
});
