import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeEvent } from '../../../../lib/engine/lock-node.js';
import { ConnectionReport } from '../../../../lib/redis/connection/connection.js';

const WRONG = 'WRONGPASS invalid username-password pair';

describe('ConnectionReport', () => {
  let events: NodeEvent[];
  let report: ConnectionReport;
  beforeEach(() => {
    events = [];
    report = new ConnectionReport((event) => void events.push(event));
  });

  it('tells each change once, with the first reason', () => {
    report.down('connect ECONNREFUSED');
    report.down('connect ETIMEDOUT');
    report.up();
    report.up();
    report.down('connection closed');
    report.down('connect ECONNREFUSED');
    expect(events).toEqual([
      { type: 'node-down', reason: 'connect ECONNREFUSED' },
      { type: 'node-up' },
      { type: 'node-down', reason: 'connection closed' },
    ]);
  });

  it.each([
    WRONG,
    'NOAUTH Authentication required',
    'credentials() failed: no token',
    'certificate has expired',
    'ERR DB index',
  ])('tells once, while the node is down, of what does not pass by itself: %s', (reason) => {
    report.up();
    report.down('connection closed');
    report.down('connect ECONNREFUSED');
    report.down(reason);
    report.down(reason);
    report.down(WRONG);
    expect(events.slice(1)).toEqual([
      { type: 'node-down', reason: 'connection closed' },
      { type: 'node-warning', reason },
    ]);
  });

  it('tells nothing twice where that is why the node is down', () => {
    report.down(WRONG);
    report.down(WRONG);
    expect(events).toEqual([{ type: 'node-down', reason: WRONG }]);
  });

  it('tells it again once the node was up', () => {
    for (let times = 0; times < 2; times += 1) {
      report.up();
      report.down('connection closed');
      report.down(WRONG);
    }
    expect(events.filter(({ type }) => type === 'node-warning')).toHaveLength(2);
  });
});
