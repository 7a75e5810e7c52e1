import { MAX_TTL as DEFAULT_MAX_TTL } from '../../../lib/engine/options.js';
import { alertRules, type AlertRule } from '../operations/alert-rules.js';
import { conditionOf } from '../operations/condition.js';
import type { Series } from '../scrape.js';

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

/** The alerts whose threshold is to be adapted to `maxTtl`, and is written for the default. */
const OF_MAX_TTL: readonly string[] = ['RedlockClock'];

/** Returns those of the metrics and alerts that do not show the fault. */
export function silentOnes(names: readonly string[], scrape: FaultScrape): string[] {
  const { before, during, port } = scrape;
  return names.filter((name) => {
    const rule = alertRules().find(({ alert }) => alert === name);
    if (rule !== undefined) return isOn(rule, before, scrape) || !isOn(rule, during, scrape);
    const metric = name.replace(/_seconds$/, '');
    return GAUGES.includes(metric) && valuesOf(before, metric, port) === valuesOf(during, metric, port);
  });
}

/** Returns whether an alert would come of a scrape if it lasted. */
function isOn({ alert, expr }: AlertRule, series: readonly Series[], { port, maxTtl }: FaultScrape): boolean {
  const condition = conditionOf(expr);
  const scale = OF_MAX_TTL.includes(alert) ? maxTtl / DEFAULT_MAX_TTL : 1;
  const found = condition.holds(series, condition.threshold * scale);
  return found.some((labels) => (labels['server_port'] ?? port) === port);
}

/** Of one node, or of the pool. */
function valuesOf(series: readonly Series[], metric: string, port: string): string {
  const found = series.filter(({ name, labels }) => name === metric && (labels['server_port'] ?? port) === port);
  return JSON.stringify(found.map(({ value }) => value));
}
