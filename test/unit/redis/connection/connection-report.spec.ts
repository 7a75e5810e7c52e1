import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeEvent } from '../../../../lib/engine/lock-node.js';
import { ConnectionReport } from '../../../../lib/redis/connection/connection.js';

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
});
