import { afterEach, describe, expect, it } from '@jest/globals';
import { clockShimObstacle } from '../../support/clock-shim.js';
import { eventually } from '../../support/eventually.js';
import { clearStage, FAULT_MAKERS, setStage, type FaultStage } from '../../support/faults/fault-makers.js';
import { faultTable, patternOf, type FaultRow } from '../../support/faults/fault-table.js';
import { MAX_TTL, WatchedApp } from '../../support/faults/watched-app.js';
import { vouchFor } from '../../support/vouch.js';

const TABLE = faultTable();
const PATIENCE = 20_000;
const TIMEOUT = 60_000;

/** Names of metrics, as Prometheus has them, and of alerts. */
const METRIC = /^redlock_[a-z_]+$/;
const ALERT = /^Redlock[A-Z]\w+$/;

describe('docs/operations/faults.md', () => {
  let app: WatchedApp | undefined;
  let stage: FaultStage | undefined;
  afterEach(async () => {
    await app?.close();
    if (stage !== undefined) await clearStage(stage);
    app = stage = undefined;
  });

  it('has a row for each fault that the test can make, and no others', () => {
    expect(TABLE.map(({ name }) => name)).toEqual(Object.keys(FAULT_MAKERS));
  });

  it('names a metric, and what doctor says, for each fault', () => {
    for (const { metrics } of TABLE) {
      expect(metrics.filter((name) => METRIC.test(name))).not.toEqual([]);
      expect(metrics.filter((name) => !METRIC.test(name) && !ALERT.test(name))).toEqual([]);
    }
  });

  const check = async (row: FaultRow): Promise<void> => {
    const maker = FAULT_MAKERS[row.name]!;
    stage = await setStage(maker);
    const nodes = stage.servers.map(({ url }, index) => (index === 0 ? (stage!.proxy?.url ?? url) : url));
    await Promise.all(stage.servers.map(({ url }) => vouchFor(url, maker.maxTtl ?? MAX_TTL, 'lock:')));
    if (maker.isFirst) await maker.begin(stage);
    app = await WatchedApp.start(nodes, maker.maxTtl);
    await eventually(async () => expect(await app!.health()).toMatchObject({ status: 'up' }), PATIENCE);
    if (!maker.isFirst) await maker.begin(stage);
    const subject = maker.isOfPool ? undefined : nodes[0]!;
    await healthIs(row.health, subject);
    await maker.end?.(stage);
    await toldOf(row, { subject, nodes });
    // The end of the application logs what was still pending.
    await app.close();
    await toldOf(row, { subject, nodes });
  };

  const healthIs = ([status, reason]: readonly string[], node: string | undefined): Promise<void> =>
    eventually(async () => {
      const health = await app!.health();
      expect(health.status).toBe(status);
      if (reason !== undefined) expect(health.reasons[node!]).toMatch(patternOf(reason));
    }, PATIENCE);

  const toldOf = (
    { events, log }: FaultRow,
    { subject, nodes }: { readonly subject: string | undefined; readonly nodes: readonly string[] },
  ): Promise<void> =>
    eventually(async () => {
      // A node shows that it votes again when it is asked.
      await app!.health();
      expect(app!.events(subject)).toEqual(events);
      const patterns = log.map((line) => expect.stringMatching(patternOf(line, subject)));
      expect(app!.lines(subject, nodes)).toEqual(patterns);
    }, PATIENCE);

  const isPossible = ({ name }: FaultRow): boolean =>
    FAULT_MAKERS[name]?.needs !== 'clock' || clockShimObstacle() === undefined;
  it.each(TABLE.filter(isPossible).map((row) => [row.name, row] as const))(
    'says what health, events and log say of a node: %s',
    (_name, row) => check(row),
    TIMEOUT,
  );
});
