import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import { QuorumWatch } from '../../../lib/engine/quorum-watch.js';

type NodeEvent = Extract<LockEvent, { node: string }>;

describe('QuorumWatch', () => {
  let told: LockEvent[];
  let watch: QuorumWatch;
  const note = (type: NodeEvent['type'], ...nodes: number[]): void => {
    for (const node of nodes) watch.note({ type, node: `node-${node}`, reason: 'why', remaining: 1 } as NodeEvent);
  };

  beforeEach(() => {
    told = [];
    watch = new QuorumWatch(5, (event) => void told.push(event));
  });

  it('tells once that too few nodes vote, and once that enough do again', () => {
    watch.opened();
    note('node-down', 1, 2);
    expect(told).toEqual([]);
    note('node-down', 3, 4);
    expect(told).toEqual([{ type: 'quorum-lost', votes: 2, nodes: 5, quorum: 3 }]);
    note('node-up', 4, 3, 2);
    expect(told.slice(1)).toEqual([{ type: 'quorum-reached', votes: 3, nodes: 5, quorum: 3 }]);
  });

  it('tells it again when it happens again', () => {
    watch.opened();
    for (let times = 0; times < 2; times += 1) {
      note('node-down', 1, 2, 3);
      note('node-up', 1, 2, 3);
    }
    expect(told.map(({ type }) => type)).toEqual(['quorum-lost', 'quorum-reached', 'quorum-lost', 'quorum-reached']);
  });

  it.each<[NodeEvent['type'], NodeEvent['type']]>([
    ['node-down', 'node-up'],
    ['node-quarantined', 'node-trusted'],
    ['node-refused', 'node-accepted'],
  ])('counts a node out from %s to %s, whatever else is over meanwhile', (begins, ends) => {
    watch.opened();
    note(begins, 1, 2, 3);
    for (const type of ['node-up', 'node-trusted', 'node-accepted'] as const) if (type !== ends) note(type, 1, 2, 3);
    expect(told).toHaveLength(1);
    note(ends, 3);
    expect(told).toHaveLength(2);
  });

  it('judges of a start when all nodes were tried', () => {
    note('node-down', 1, 2, 3);
    note('node-up', 1);
    note('node-down', 4);
    expect(told).toEqual([]);
    watch.opened();
    expect(told).toEqual([{ type: 'quorum-lost', votes: 2, nodes: 5, quorum: 3 }]);
  });

  it('takes no other event for one that matters', () => {
    watch.opened();
    note('node-warning', 1, 2, 3);
    note('hand-off-unavailable', 1, 2, 3);
    watch.note({ type: 'contended', resources: ['a'] });
    expect(told).toEqual([]);
  });
});
