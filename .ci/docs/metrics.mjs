// docs/reference/metrics.md: the instruments as the code makes them, and the attributes, each of which the code must have.
import { readdirSync, readFileSync } from 'node:fs';
import { code, table } from './table.mjs';

const FOLDER = 'lib/opentelemetry';
const SERVER = '`server.address`, `server.port`';
const CALL = '`redlock.pool`, `redlock.resource.template`';

/** @type {Readonly<Record<string, readonly [attributes: string, more: string]>>} What the instruments do not say themselves. */
const METRICS = {
  'redlock.acquire.duration': [`${CALL}, \`redlock.outcome\`, \`redlock.path\``, 'A joined call has the duration 0.'],
  'redlock.hold.duration': [`${CALL}, \`redlock.end\``, ''],
  'redlock.extend.duration': ['`redlock.pool`, `redlock.outcome`', ''],
  'redlock.lost': [`${CALL}, \`redlock.loss.reason\``, 'The counter is 0 from the first lock on.'],
  'redlock.waiting': ['`redlock.pool`', ''],
  'redlock.held': ['`redlock.pool`', ''],
  'redlock.leader': ['`redlock.pool`, `redlock.role`', 'The gauge has a value from the first event of the role on.'],
  'redlock.leader.terms': ['`redlock.pool`, `redlock.role`', 'The counter is 0 before the first term.'],
  'redlock.once.duration': [`${CALL}, \`redlock.once.outcome\``, ''],
  'redlock.reply.size': [CALL, ''],
  'redlock.reply.thin': ['`redlock.pool`', 'The counter is 0 from the first reply on.'],
  'redlock.nodes': ['`redlock.pool`', ''],
  'redlock.quorum.margin': ['`redlock.pool`', 'At 0, the next failure stops all locks.'],
  'redlock.node.state': [`\`redlock.pool\`, ${SERVER}, \`redlock.node.state\``, ''],
  'redlock.node.quarantine': [`\`redlock.pool\`, ${SERVER}`, ''],
  'redlock.node.clock_offset': [`\`redlock.pool\`, ${SERVER}`, ''],
  'redlock.node.request.duration': [
    `${SERVER}, \`error.type\``,
    'Several pools of a process may share a node, so this metric names the node only.',
  ],
};

/** @type {Readonly<Record<string, string>>} Each attribute with its values. */
const ATTRIBUTES = {
  'redlock.pool': 'The name of the pool; `default` for the pool without a name.',
  'redlock.resource.template':
    'The key template, or the `label` of the call. Metrics carry this text and leave out the resource.',
  'redlock.role': 'The name of the role, as `lead` and `@Leader` have it.',
  'redlock.resource': "The full names of the resources. Spans have this attribute with `resource: 'value'` only.",
  'redlock.outcome':
    'Of a call: `acquired`, `held`, `skipped`, `joined`, `no_quorum`, `aborted`, `closed`, `error`. Of an extension: `extended`, `lost`, `no_quorum`, `error`.',
  'redlock.path':
    '`free`: the resource was free. `hand-off`: the nodes gave the lock after another holder. `local`: an earlier caller of the process passed the lock on. `nested`: the code around the call holds the lock.%WAIT%',
  'redlock.end': '`released`, `lost`, or %END% (shutdown, after `shutdownTimeout`).',
  'redlock.loss.reason': 'Why the lock was lost: `nodes`, `pause`, `ttl`, `max_hold`, `shutdown`.',
  'redlock.once.outcome':
    '`ran`, `unkept` (the store did not confirm the reply), `replayed`, `waited`, `joined`, `reused`, `in_progress`, `unknown`, `not_kept`, `unreadable`, `unavailable`, `error`.',
  'redlock.node.state':
    '`voting`, `quarantined`, `refusing`, `down`. The metric is 1 for the state of the node, and 0 for the others.',
  'redlock.attempts': 'How often the nodes were asked; 0 for a shared lock.',
  'redlock.fencing_token': 'The fencing token of the lock.',
  'redlock.validity': 'Seconds for which the lock is valid after the extension.',
  'server.address': 'The host of the node, or its whole name if the node has no host.',
  'server.port': 'The port of the node.',
  'error.type': 'Of a span: the code of the error. Of a request to a node: `refused`, `timeout`, `unknown`.',
};

const SPANS = [
  [
    '`acquire`',
    'From the call for a lock until its outcome',
    '%PATH%, `redlock.attempts`, `redlock.fencing_token`',
    '`contended`, `hand-off`',
  ],
  [
    '`hold`',
    'From when the lock was taken until it ends',
    '`redlock.fencing_token`',
    '`lost`, with `redlock.loss.reason`',
  ],
  ['`extend`', 'One extension', '`redlock.validity`', 'none'],
  ['`once`', 'From an idempotent call until its outcome', '`redlock.once.outcome`, `redlock.fencing_token`', 'none'],
];

/** @param {import('./code.mjs').Code} lib */
export function metricsPage(lib) {
  const source = readdirSync(FOLDER)
    .map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'))
    .join('\n');
  const instruments = instrumentsOf(lib);
  const names = [
    ...new Set([...source.matchAll(/'((?:redlock|server|error)\.[\w.]+)'/g)].map(([, name = '']) => name)),
  ];
  const attributes = names.filter(
    (name) => instruments.every((instrument) => instrument.name !== name) || name in ATTRIBUTES,
  );
  const pathOfSpans = names.includes('redlock.wait.path') ? '`redlock.wait.path`' : '`redlock.path`';
  const waitPath = names.includes('redlock.wait.path') ? ' Spans call it `redlock.wait.path`.' : '';
  const end =
    /readonly end\?: '[^']*' \| '[^']*' \| '([^']*)'/.exec(readFileSync('lib/engine/channels.ts', 'utf8'))?.[1] ?? '';
  const rows = attributes
    .filter((name) => name !== 'redlock.wait.path')
    .map((name) => [code(name), meaningOf(name).replace('%END%', code(end)).replace('%WAIT%', waitPath)]);
  const lines = instruments.map(({ name, unit, kind, description }) => {
    const [with_, more] = METRICS[name] ?? missing(name);
    return [code(name), kind, code(unit), with_, `${description}. ${more}`];
  });
  return [INTRODUCTION, metricsPart(lines), spansPart(pathOfSpans), attributesPart(rows), END].join('\n\n');
}

const INTRODUCTION = `# Metrics and spans

Every metric and every span of \`nestjs-redlock/opentelemetry\`.

**Read this if** you write a query, an alert or a dashboard. [Monitor](../operate/monitor.md) shows how to turn telemetry on.

Durations of metrics are seconds. Durations in events, errors and channels are milliseconds.`;

const END = `**Next:** [monitor](../operate/monitor.md).

[All pages](../README.md)
`;

/** @param {readonly (readonly string[])[]} lines */
function metricsPart(lines) {
  return `## Metrics

${table(['metric', 'kind', 'unit', 'attributes', 'meaning'], lines)}

The library asks the nodes for their state when metrics are collected.

Prometheus writes underscores instead of dots. A Collector adds the unit: \`redlock_acquire_duration_seconds\`.
The exporter \`@opentelemetry/exporter-prometheus\` leaves the unit out: \`redlock_acquire_duration\`.`;
}

/** @param {string} pathOfSpans */
function spansPart(pathOfSpans) {
  return `## Spans

${table(
  ['span', 'covers', 'attributes', 'events'],
  SPANS.map((cells) => cells.map((text) => text.replace('%PATH%', pathOfSpans))),
)}

A span is named by its operation and the key template, such as \`acquire user:<body.email>\`. All spans are of the kind \`INTERNAL\`.
They also have \`redlock.pool\` and \`redlock.resource.template\`.
If an operation fails, \`error.type\` is the code of the error.`;
}

/** @param {string[][]} rows */
function attributesPart(rows) {
  return `## Attributes

${table(
  ['attribute', 'values'],
  rows.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
)}`;
}

/** @param {string} name */
function meaningOf(name) {
  return ATTRIBUTES[name] ?? missing(name);
}

/** @param {string} name @returns {never} */
function missing(name) {
  throw new Error(`.ci/docs/metrics.mjs says nothing of ${name}`);
}

/** @typedef {{ name: string, unit: string, kind: string, description: string }} Instrument */

/** Returns the instruments that the code makes. @param {import('./code.mjs').Code} lib @returns {Instrument[]} */
function instrumentsOf(lib) {
  /** @type {Instrument[]} */
  const made = [];
  /** @param {string} kind */
  const make =
    (kind) =>
    (/** @type {string} */ name, /** @type {{ unit: string, description: string }} */ { unit, description }) => {
      made.push({ name, unit, kind, description });
      return {};
    };
  const meter = {
    createHistogram: make('histogram'),
    createCounter: make('counter'),
    createObservableUpDownCounter: make('up-down counter'),
    createObservableGauge: make('gauge'),
  };
  const subscriptions = { on: () => undefined, bind: () => undefined, collect: () => undefined };
  const pools = () => [];
  for (const metrics of [
    new lib.LockMetrics(/** @type {never} */ (meter), 'template', pools),
    new lib.NodeMetrics(/** @type {never} */ (meter), pools),
    new lib.LeaderMetrics(/** @type {never} */ (meter)),
    new lib.OnceMetrics(/** @type {never} */ (meter), 'template'),
  ])
    metrics.observe(/** @type {never} */ (subscriptions));
  return made;
}
