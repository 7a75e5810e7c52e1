// docs/reference/events.md: the events with their fields, from the union of their types.
import { readFileSync } from 'node:fs';
import { commentedTexts, commentOf, exported, membersOf, summaryOf } from './model.mjs';
import { code, quoted, table } from './table.mjs';

/** @type {readonly (readonly [channel: string, message: string, when: string])[]} */
const CHANNELS = [
  ['tracing:nestjs-redlock:acquire', 'AcquireMessage', 'from the call for a lock until its outcome'],
  ['tracing:nestjs-redlock:hold', 'HoldMessage', 'from when a lock was taken until it ends'],
  ['tracing:nestjs-redlock:extend', 'ExtendMessage', 'one extension'],
  ['tracing:nestjs-redlock:once', 'OnceMessage', 'from an idempotent call until its outcome'],
  ['nestjs-redlock:node', 'NodeMessage', 'an event of a node'],
  ['nestjs-redlock:leader', 'LeaderMessage', 'an event of a role'],
  ['nestjs-redlock:request', 'RequestMessage', 'a node answered, or timed out'],
  ['nestjs-redlock:skipped', 'CallMessage', 'a call found the resource held and did not run'],
  ['nestjs-redlock:joined', 'CallMessage', 'a call shares the outcome of another call'],
  ['nestjs-redlock:thin-reply', '{ pool }', 'some nodes do not have a kept reply'],
];
/** Only those who bind a store need it. */
const NOT_FOR_USERS = 'nestjs-redlock:work';

/** @param {import('./model.mjs').Project} project */
export function eventsPage(project) {
  checkChannels(project);
  const parts = [INTRODUCTION, eventsPart(project), rolesPart(project), repliesPart(project)];
  return [...parts, CHANNELS_PART, NAMES, END].join('\n\n');
}

const INTRODUCTION = `# Events and channels

What \`redlock.events$\` and the diagnostics channels report.

**Read this if** you count, log or react to what happens to locks. [Monitor](../operate/monitor.md) compares the ways to observe locks.

\`\`\`ts
// lost-locks.ts
import { Injectable, Logger } from '@nestjs/common';
import { RedlockService } from 'nestjs-redlock';

@Injectable()
export class LostLocks {
  readonly #logger = new Logger(LostLocks.name);

  constructor(redlock: RedlockService) {
    redlock.events$.subscribe((event) => {
      if (event.type === 'lost') this.#logger.error(\`\${event.resources.join(', ')}: \${event.error.reason}\`);
    });
  }
}
\`\`\`

Durations are milliseconds. \`resources\` are full names, which may be personal data. The objects are frozen.`;

const CHANNELS_PART = `## Channels

The [diagnostics channels](https://nodejs.org/api/diagnostics_channel.html) of Node.js carry the same facts without RxJS.
The package exports the types of the messages.

${table(
  ['channel', 'message', 'published for'],
  CHANNELS.map(([channel, message, when]) => [code(channel), linked(message), when]),
)}

A tracing channel publishes \`start\`, \`end\`, \`asyncStart\`, \`asyncEnd\` and \`error\`. Each operation has one message object.
The library fills the object as the facts become known: \`outcome\`, \`waited\`, \`attempts\`, \`path\`, \`fencingToken\`, \`held\`, \`end\`, \`error\`.
A lock leads to its call by \`hold.acquire\`. An extension leads to its lock by \`extend.hold\`.`;

const NAMES = `## One thing, several names

Somebody else holds the resource:

${table(
  ['where', 'name', 'meaning'],
  [
    ['event', '`contended`', 'the first answer of the nodes; the call may still get the lock'],
    ['event', "`refused` with `code: 'RESOURCE_LOCKED'`", 'the final answer; the call has no lock'],
    ['event', '`skipped`, `joined`', 'the method did not run, or shares another run, as `onContended` says'],
    ['error', '`ResourceLockedError`, `RESOURCE_LOCKED`, HTTP 409', 'the final answer, as an exception'],
    ['metric and channel', '`redlock.outcome: held`', 'the final answer, as an outcome'],
  ],
)}

A node gives no vote:

${table(
  ['state', '`status()`', 'event', 'metric `redlock.node.state`', 'outcome in an error'],
  [
    ['the node is down or times out', '`up: false`', '`node-down`', '`down`', '`unknown`'],
    ['the node is in quarantine', '`votes: false`, `votesIn`', '`node-quarantined`', '`quarantined`', '`quarantined`'],
    ['the node answers and refuses', '`votes: false`, `reason`', '`node-refused`', '`refusing`', '`refused`'],
    ['the call was decided first', '-', '-', '-', '`pending`'],
  ],
)}`;

const END = `**Next:** [metrics](metrics.md).

[All pages](../README.md)
`;

/** @param {import('./model.mjs').Project} project */
function eventsPart(project) {
  return `## Events of locks and nodes

${tablesOf(eventsOf(exported(project, 'LockEvent')).filter((member) => !isOfRole(member)))}`;
}

/** @param {import('./model.mjs').Project} project */
function rolesPart(project) {
  return `## Events of roles

\`lead\` and [\`@Leader\`](../guides/leader.md) emit these.

${tablesOf(eventsOf(exported(project, 'LockEvent')).filter(isOfRole))}`;
}

/** @typedef {ReturnType<typeof eventsOf>[number]} Member */

/** @param {Member} member */
function isOfRole({ fields }) {
  return fields.some(({ name }) => name === 'name');
}

/** The events, and then the fields of them. @param {readonly Member[]} members */
function tablesOf(members) {
  const events = members.map((member) => [
    code(member.event),
    member.fields.map(({ name }) => code(name)).join(', '),
    quoted(member.when) || missing(member.event),
  ]);
  const fields = fieldsOf(members.flatMap((member) => member.fields));
  return `${table(['event', 'fields', 'emitted when'], events)}

${table(['field', 'type', 'meaning'], fields)}`;
}

/** @param {import('./model.mjs').Project} project */
function repliesPart(project) {
  const reply = exported(project, 'ReplyEvent');
  return `## Events of kept replies

\`nestjs-redlock/idempotency\` emits these. The field \`resources\` holds the key.

${table(
  ['event', 'emitted when'],
  commentedTexts('lib/engine/events.ts', 'ReplyEvent').map(([event, when]) => [code(event), when]),
)}

${table(
  ['field', 'type', 'meaning'],
  membersOf(reply)
    .filter(({ name }) => name !== 'type')
    .map((field) => [code(field.name), code(typeOf(field)), summaryOf(commentOf(field))]),
)}`;
}

/** @typedef {import('./model.mjs').Declaration} Declaration */

/** @param {string} message */
function linked(message) {
  return message.startsWith('{') ? code(message) : `[${code(message)}](api/index.md#${message.toLowerCase()})`;
}

/** The list has all channels of the code, with exported types. @param {import('./model.mjs').Project} project */
function checkChannels(project) {
  const source = readFileSync('lib/engine/channels.ts', 'utf8');
  const known = CHANNELS.map(([channel]) => channel.replace('tracing:', ''));
  for (const [, channel = ''] of source.matchAll(/hannel(?:<[^>]*>)?\('([\w:-]+)'/g))
    if (channel !== NOT_FOR_USERS && !known.includes(channel))
      throw new Error(`.ci/docs/events.mjs says nothing of ${channel}`);
  for (const [, message] of CHANNELS) if (!message.startsWith('{')) exported(project, message);
}

/** Returns the members of a union of object types, each with the comment before it. @param {Declaration} alias */
function eventsOf({ name, type }) {
  if (type?.type !== 'union') throw new Error(`${name} is no union`);
  return type.types.flatMap((member, index) => {
    if (member.type !== 'reflection') return [];
    const when = summaryOf(/** @type {never} */ ({ summary: type.elementSummaries?.[index] }));
    return [
      {
        when,
        event: literalOf(member.declaration),
        fields: membersOf(member.declaration).filter((field) => field.name !== 'type'),
      },
    ];
  });
}

/** @param {Declaration} member */
function literalOf(member) {
  const type = member.children?.find(({ name }) => name === 'type')?.type;
  return type?.type === 'literal' ? String(type.value) : '';
}

/** Returns a row for each field; the first comment on a field holds for all. @param {readonly Declaration[]} fields */
function fieldsOf(fields) {
  /** @type {Map<string, string[]>} */
  const rows = new Map();
  for (const field of fields) {
    const meaning = rows.get(field.name)?.[2] || quoted(summaryOf(commentOf(field)));
    rows.set(field.name, [code(field.name), code(typeOf(field)), meaning]);
  }
  for (const [name, [, , meaning]] of rows) if (meaning === '') missing(name);
  return [...rows.values()];
}

/** @param {Declaration} field */
function typeOf(field) {
  return (field.type?.toString() ?? '').replace(/ \| undefined$/, '').replace(/^undefined \| /, '');
}

/** @param {string} name @returns {never} */
function missing(name) {
  throw new Error(`lib/engine/events.ts has no comment on ${name}`);
}
