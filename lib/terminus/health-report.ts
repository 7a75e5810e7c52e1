import type { NodeStatus, RedlockStatus } from '../engine/status.js';
import type { RedlockHealthOptions } from './redlock-health.options.js';

/** What a health check says of a pool; the keys of `data` are none that terminus reserves. */
export interface HealthReport {
  readonly state: 'up' | 'degraded' | 'down';
  readonly data: Record<string, unknown>;
}

type ReportTerms = Pick<RedlockHealthOptions, 'whenDown' | 'details'>;

/** Returns the state of a pool: up if all nodes vote, degraded if a quorum of them does, and otherwise down. */
export function reportOf(status: RedlockStatus, { whenDown = 'down', details = true }: ReportTerms): HealthReport {
  const { nodes, quorum, disabled } = status;
  const votes = nodes.filter((node) => node.votes).length;
  const data = {
    quorum,
    votes,
    margin: votes - quorum,
    ...(disabled && { disabled }),
    ...(details && { nodes: Object.fromEntries(nodes.map((node) => [node.node, shownOf(node)])) }),
  };
  // Locks of a disabled pool need no node.
  if (disabled || votes === nodes.length) return { state: 'up', data };
  return { state: votes >= quorum ? 'degraded' : whenDown, data };
}

/** The state from the start of the shutdown on: a load balancer sends no more requests, whatever the nodes say. */
export const REPORT_AT_SHUTDOWN: HealthReport = {
  state: 'down',
  data: { message: 'the application is shutting down' },
};

/** Returns what is said of a check that failed, for example because there is no such pool. */
export function reportOfFailure(error: unknown, { details = true }: ReportTerms): HealthReport {
  const message = details && error instanceof Error ? error.message : 'the state of the nodes is not known';
  return { state: 'down', data: { message } };
}

function shownOf({ votes, latency, votesIn, reason }: NodeStatus): Partial<NodeStatus> {
  return {
    votes,
    ...(latency !== undefined && { latency }),
    ...(votesIn !== undefined && { votesIn }),
    ...(reason !== undefined && { reason }),
  };
}
