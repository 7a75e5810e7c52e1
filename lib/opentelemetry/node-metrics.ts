import type { Attributes, BatchObservableResult, Meter, ObservableGauge } from '@opentelemetry/api';
import type { NodeStatus, RedlockStatus } from '../engine/status.js';
import { type RequestMessage, requests } from '../engine/channels.js';
import { answerHistogram, gauge, type Pool, poolName, serverOf } from './attributes.js';
import type { Subscriptions } from './subscriptions.js';

const STATES = ['voting', 'quarantined', 'refusing', 'down'] as const;

interface Gauges {
  readonly nodes: ObservableGauge;
  readonly margin: ObservableGauge;
  readonly state: ObservableGauge;
  readonly quarantine: ObservableGauge;
  readonly clockOffset: ObservableGauge;
}

/** The metrics of nodes. Their state is asked for whenever the metrics are collected, so that it is never out of date. */
export class NodeMetrics {
  readonly #gauges: Gauges;

  constructor(
    private readonly meter: Meter,
    private readonly pools: () => readonly Pool[],
  ) {
    this.#gauges = {
      nodes: gauge(meter, 'redlock.nodes', ['{node}', 'How many nodes the pool has']),
      margin: gauge(meter, 'redlock.quorum.margin', [
        '{node}',
        'How many more nodes may fail; below 0 there are no locks',
      ]),
      state: gauge(meter, 'redlock.node.state', [
        '{node}',
        'Is 1 for the state that a node is in, and 0 for the others',
      ]),
      quarantine: gauge(meter, 'redlock.node.quarantine', ['s', 'Time until a node votes again after a restart']),
      clockOffset: gauge(meter, 'redlock.node.clock_offset', ['s', 'By how much the clock of a node is ahead']),
    };
  }

  observe(subscriptions: Subscriptions): void {
    const answers = answerHistogram(this.meter, 'redlock.node.request.duration', 'Time until a node answered');
    subscriptions.on(requests, ({ node, duration, error }: RequestMessage) =>
      answers.record(duration / 1_000, { ...serverOf(node), ...(error && { 'error.type': error }) }),
    );
    subscriptions.collect(this.meter, Object.values(this.#gauges), async (result) => {
      await Promise.all(this.pools().map((pool) => this.#observePool(result, pool)));
    });
  }

  async #observePool(result: BatchObservableResult, { name, service }: Pool): Promise<void> {
    // A pool that cannot be asked, for example because it is closed, has no state to tell.
    const status = await service.status().catch(() => undefined);
    if (status === undefined) return;
    const pool = { 'redlock.pool': poolName(name) };
    result.observe(this.#gauges.nodes, status.nodes.length, pool);
    result.observe(this.#gauges.margin, marginOf(status), pool);
    for (const node of status.nodes) this.#observeNode(result, node, { ...pool, ...serverOf(node.node) });
  }

  #observeNode(result: BatchObservableResult, node: NodeStatus, server: Attributes): void {
    const { state, quarantine, clockOffset } = this.#gauges;
    const current = stateOf(node);
    for (const one of STATES) result.observe(state, one === current ? 1 : 0, { ...server, 'redlock.node.state': one });
    result.observe(quarantine, (node.votesIn ?? 0) / 1_000, server);
    if (node.clockOffset !== undefined) result.observe(clockOffset, node.clockOffset / 1_000, server);
  }
}

function marginOf({ nodes, quorum }: RedlockStatus): number {
  return nodes.filter(({ votes }) => votes).length - quorum;
}

function stateOf({ up, votes, votesIn }: NodeStatus): (typeof STATES)[number] {
  if (votes) return 'voting';
  if (votesIn !== undefined) return 'quarantined';
  return up ? 'refusing' : 'down';
}
