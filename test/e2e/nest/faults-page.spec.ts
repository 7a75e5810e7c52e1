import { describe, expect, it } from '@jest/globals';
import { clockShimObstacle } from '../../support/clock-shim.js';
import { asked } from '../../support/command-line.js';
import { eventually } from '../../support/eventually.js';
import { silentOnes, type FaultScrape } from '../../support/faults/fault-gauges.js';
import { clearStage, FAULT_MAKERS, setStage } from '../../support/faults/fault-makers.js';
import { faultTable, patternOf, type FaultRow } from '../../support/faults/fault-table.js';
import { MAX_TTL, NODE_TIMEOUT, WatchedApp } from '../../support/faults/watched-app.js';
import type { Diagnosis } from '../../support/sick-nodes.js';
import { vouchFor } from '../../support/vouch.js';

const TABLE = faultTable();
const PATIENCE = 20_000;
const TIMEOUT = 60_000;

/** Names of metrics, as Prometheus has them, and of alerts. */
const METRIC = /^redlock_[a-z_]+$/;
const ALERT = /^Redlock[A-Z]\w+$/;

describe('docs/operate/troubleshooting.md', () => {
  it('has a row for each fault that the test can make, and no others', () => {
    expect(TABLE.map(({ name }) => name)).toEqual(Object.keys(FAULT_MAKERS));
  });

  it('names a metric, and what doctor says, for each fault', () => {
    for (const { metrics, doctor } of TABLE) {
      expect(doctor).not.toEqual([]);
      expect(metrics.filter((name) => METRIC.test(name))).not.toEqual([]);
      expect(metrics.filter((name) => !METRIC.test(name) && !ALERT.test(name))).toEqual([]);
    }
  });

  const check = async (row: FaultRow): Promise<void> => {
    const maker = FAULT_MAKERS[row.name]!;
    const { maxTtl = MAX_TTL } = maker;
    const stage = await setStage(maker);
    let app: WatchedApp | undefined;
    try {
      const nodes = stage.servers.map(({ url }, index) => (index === 0 ? (stage.proxy?.url ?? url) : url));
      await Promise.all(stage.servers.map(({ url }) => vouchFor(url, maxTtl, 'lock:')));
      if (maker.isFirst) await maker.begin(stage);
      app = await WatchedApp.start(nodes, maxTtl);
      await healthIs(app, ['up']);
      const before = maker.isFirst ? undefined : await app.scrape();
      if (!maker.isFirst) await maker.begin(stage);
      const subject = maker.isOfPool ? undefined : nodes[0]!;
      await healthIs(app, row.health, subject);
      if (before !== undefined) await metricsShow(app, row.metrics, { before, port: new URL(nodes[0]!).port, maxTtl });
      await doctorSays(row.doctor, { nodes, sick: maker.isOfPool ? 2 : 1, maxTtl });
      await maker.end?.(stage);
      await toldOf(app, row, subject);
      // The end of the application logs what was still pending.
      await app.close();
      await toldOf(app, row, subject);
    } finally {
      await app?.close();
      await clearStage(stage);
    }
  };

  const healthIs = (app: WatchedApp, [status, reason]: readonly string[], node?: string): Promise<void> =>
    eventually(async () => {
      const health = await app.health();
      expect(health.status).toBe(status);
      if (reason !== undefined) expect(health.reasons[node!]).toMatch(patternOf(reason));
    }, PATIENCE);

  const metricsShow = (app: WatchedApp, names: readonly string[], fault: Omit<FaultScrape, 'during'>): Promise<void> =>
    eventually(async () => expect(silentOnes(names, { ...fault, during: await app.scrape() })).toEqual([]), PATIENCE);

  /** Of the first `sick` nodes, and nothing of the others. */
  const doctorSays = async (
    words: readonly string[],
    { nodes, sick, maxTtl }: { readonly nodes: readonly string[]; readonly sick: number; readonly maxTtl: number },
  ): Promise<void> => {
    const terms = ['--node-timeout', String(NODE_TIMEOUT), '--max-ttl', String(maxTtl)];
    const servers = nodes.map((url) => ({ url }));
    const { code, findings } = await asked<Diagnosis>(servers, 'doctor', ...terms);
    // What is only better in another way, such as another version of the server, is no fault that a test has made.
    const faults = findings.filter(({ severity }) => severity !== 'advice');
    const saidOf = (node: string): string[] => faults.filter((fault) => fault.node === node).map(({ what }) => what);
    const patterns = words.map((text) => expect.stringMatching(patternOf(text)));
    for (const node of nodes.slice(0, sick)) expect(saidOf(node)).toEqual(patterns);
    expect(faults).toHaveLength(sick * words.length);
    expect(code).toBe(sick > 1 ? 2 : 1);
  };

  const toldOf = (app: WatchedApp, { events, log }: FaultRow, subject: string | undefined): Promise<void> =>
    eventually(async () => {
      // A node shows that it votes again when it is asked.
      await app.health();
      expect(app.events(subject)).toEqual(events);
      const patterns = log.map((line) => expect.stringMatching(patternOf(line, subject)));
      expect(app.lines(subject)).toEqual(patterns);
    }, PATIENCE);

  const isPossible = ({ name }: FaultRow): boolean =>
    FAULT_MAKERS[name]?.needs !== 'clock' || clockShimObstacle() === undefined;
  it.concurrent.each(TABLE.filter(isPossible).map((row) => [row.name, row] as const))(
    'says what health, events, log, metrics and doctor say of a node: %s',
    (_name, row) => check(row),
    TIMEOUT,
  );
});
