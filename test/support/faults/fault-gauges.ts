import { valueOf, type Series } from '../scrape.js';

/** What a Prometheus server gets of a pool with one fault. */
export interface FaultScrape {
  readonly before: readonly Series[];
  readonly during: readonly Series[];
  /** The port of the node with the fault. */
  readonly port: string;
  /** Ms. */
  readonly maxTtl: number;
}

/** The metrics that tell of nodes also when nobody wants a lock; without the unit, as the exporter of the tests serves them. */
const GAUGES: readonly string[] = [
  'redlock_node_state',
  'redlock_quorum_margin',
  'redlock_node_quarantine',
  'redlock_node_clock_offset',
];

/** Whether an alert would come of such a scrape if it lasted; those that are about calls for locks are not here. */
const ALERTS: Readonly<Record<string, (scrape: FaultScrape) => boolean>> = {
  RedlockNoQuorum: ({ during }) => valueOf(during, 'redlock_quorum_margin')! < 0,
  RedlockNoMargin: ({ during }) => valueOf(during, 'redlock_quorum_margin') === 0,
  RedlockNodeRestarting: ({ during, port }) =>
    valueOf(during, 'redlock_node_state', { server_port: port, redlock_node_state: 'quarantined' }) === 1,
  RedlockClock: ({ during, port, maxTtl }) =>
    Math.abs(valueOf(during, 'redlock_node_clock_offset', { server_port: port })!) > maxTtl / 4_000,
};

/** Returns those of the metrics and alerts that do not show the fault. */
export function silentOnes(names: readonly string[], scrape: FaultScrape): string[] {
  const { before, during, port } = scrape;
  return names.filter((name) => {
    const metric = name.replace(/_seconds$/, '');
    if (GAUGES.includes(metric)) return valuesOf(before, metric, port) === valuesOf(during, metric, port);
    return ALERTS[name]?.(scrape) === false;
  });
}

/** Of one node, or of the pool. */
function valuesOf(series: readonly Series[], metric: string, port: string): string {
  const found = series.filter(({ name, labels }) => name === metric && (labels['server_port'] ?? port) === port);
  return JSON.stringify(found.map(({ value }) => value));
}
