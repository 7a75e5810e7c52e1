import { asMarkdown } from '../report/tables.mjs';
import { QUESTIONS } from './questions.mjs';

/** @param {import('./run.mjs').Compared} compared */
export function pageOf({ machine, rows }) {
  const { date, node, redis, system } = machine;
  const answered = rows.filter(({ answers }) => answers !== undefined);
  const missing = rows.filter(({ answers }) => answers === undefined);
  const answers = QUESTIONS.map(({ name }) => [name, ...answered.map((row) => row.answers?.[name] ?? '-')]);
  const used = answered.map(({ title, uses, versions = {} }) => [title, versionsText(versions), uses]);
  return `# Kept replies beside other packages

Answers of an idempotent handler, as its clients see them, with five ways to keep replies.

**Read this if** you choose a package that keeps replies. [Idempotency](../guides/idempotency.md) shows how to use this one.

Real Nest applications with Express, two replicas as processes, and real Redis, on ${date.slice(0, 10)} with Node.js ${node.replace('v', '')}, ${redis.replace('server v=', '')},
${system}. \`node test/bench/peers/run.mjs --out docs/bench\` makes this page and \`replies.json\`.

## Answers

${asMarkdown([['', ...answered.map(({ title }) => title)], ...answers])}

"Ran" counts the entries into the handler, in both replicas.

## Questions

${asMarkdown([['question', 'what the clients do'], ...QUESTIONS.map(({ name, asks }) => [name, asks])])}

## How to read the answers

${asMarkdown([['', 'nestjs-redlock', 'the others'], ...NOTES])}

## Versions

${asMarkdown([['package', 'version', 'used as'], ...used])}
${missing.map(({ title, note }) => `\n${title} is missing: it ${note}.`).join('\n')}
**Next:** [performance](../internals/performance.md)

[All pages](../README.md)
`;
}

const NOTES = [
  [
    'duplicate while the first runs',
    "waits for the reply, for 8 s by default; `onBusy: 'reject'` answers at once",
    'answer 409; the client asks again',
  ],
  [
    'crash',
    'the key is free again when the lease of the lock ends; the lease is extended while the process lives',
    'the key is free again when its entry expires: after 24 hours (`cacheTTLMS`, `ttl`), or after `processingTtl`, which has to be longer than any request',
  ],
  [
    'large replies',
    'kept up to `maxBytes`: 16 KB by default, 60,000 bytes at most on nodes, more in a database; the duplicate of a larger reply is rejected, and does not run',
    'kept whatever their size',
  ],
  [
    'streams',
    'not kept; the duplicate is rejected',
    'the stream object is kept as JSON; with the decorator of @node-idempotency/nestjs and a serializer of the application, the process ends',
  ],
  ['nodes', 'five', 'one, as their documentation shows'],
  [
    'serializer',
    'an interceptor of the application',
    'the same; of the controller if the interceptor of the package is global, which is best for the package',
  ],
];

/** @param {Record<string, string>} versions */
function versionsText(versions) {
  return Object.entries(versions)
    .map(([name, version]) => `${name === '@nestjs/core' ? 'Nest' : name} ${version}`)
    .join(', ');
}
