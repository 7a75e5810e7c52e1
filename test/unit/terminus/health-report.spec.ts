import { describe, expect, it } from '@jest/globals';
import type { NodeStatus, RedlockStatus } from '../../../lib/engine/status.js';
import { reportOf, reportOfFailure } from '../../../lib/terminus/redlock-health.indicator.js';

const voter = (node: string): NodeStatus => ({ node, up: true, votes: true, latency: 0.4, clockOffset: 0 });
const down = (node: string): NodeStatus => ({ node, up: false, votes: false, reason: `${node} refuses connections` });
const OUT: NodeStatus = { node: 'c', up: true, votes: false, votesIn: 7_000, reason: 'it is new', latency: 2.5 };
const statusOf = (...nodes: NodeStatus[]): RedlockStatus => {
  const quorum = Math.floor(nodes.length / 2) + 1;
  return { nodes, quorum, quorumReachable: nodes.filter(({ votes }) => votes).length >= quorum };
};

describe('the report on a pool', () => {
  it.each<[string, RedlockStatus, string, number]>([
    ['is up where all nodes vote', statusOf(voter('a'), voter('b'), voter('c')), 'up', 1],
    ['is up where the only node votes', statusOf(voter('a')), 'up', 0],
    ['is degraded where a node does not answer', statusOf(voter('a'), voter('b'), down('c')), 'degraded', 0],
    ['is degraded where a node has to wait', statusOf(voter('a'), voter('b'), OUT), 'degraded', 0],
    ['is degraded where four of five vote', statusOf(...'abde'.split('').map(voter), OUT), 'degraded', 1],
    ['is down where too few vote', statusOf(voter('a'), down('b'), OUT), 'down', -1],
    ['is down where none votes', statusOf(down('a'), down('b'), down('c')), 'down', -2],
    ['is down where half of the nodes vote', statusOf(voter('a'), down('b')), 'down', -1],
  ])('%s', (_case, status, state, margin) => {
    const report = reportOf(status, {});
    expect([report.state, report.data['margin']]).toEqual([state, margin]);
    expect(reportOf(status, { whenDown: 'degraded' }).state).toBe(state === 'down' ? 'degraded' : state);
  });

  it('has the nodes by their names', () => {
    expect(reportOf(statusOf(voter('a'), down('b'), OUT), {}).data).toEqual({
      quorum: 2,
      votes: 1,
      margin: -1,
      nodes: {
        a: { votes: true, latency: 0.4 },
        b: { votes: false, reason: 'b refuses connections' },
        c: { votes: false, votesIn: 7_000, reason: 'it is new', latency: 2.5 },
      },
    });
  });

  it('has no names and no reasons without details', () => {
    const { data } = reportOf(statusOf(voter('a'), down('b'), OUT), { details: false });
    expect(data).toEqual({ quorum: 2, votes: 1, margin: -1 });
  });

  it.each([[voter('a')], [down('a')]])('is up for a pool that is disabled, and says so: %j', (node) => {
    const report = reportOf({ ...statusOf(node), disabled: true }, { details: false });
    expect(report).toMatchObject({ state: 'up', data: { disabled: true } });
  });

  it('is down where nothing is known, and says why if details are wanted', () => {
    const error = new Error('there is no such pool');
    expect(reportOfFailure(error, {})).toEqual({ state: 'down', data: { message: 'there is no such pool' } });
    const brief = reportOfFailure(error, { details: false });
    expect(brief).toEqual({ state: 'down', data: { message: 'the state of the nodes is not known' } });
    expect(reportOfFailure('a text', {})).toEqual(brief);
  });
});
