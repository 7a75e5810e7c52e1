import { asMarkdown } from '../report/tables.mjs';
import { QUESTIONS } from './questions.mjs';

/** @param {import('./run.mjs').Compared} compared */
export function pageOf({ machine, rows }) {
  const { date, node, redis, system } = machine;
  const answered = rows.filter(({ answers }) => answers !== undefined);
  const missing = rows.filter(({ answers }) => answers === undefined);
  const table = [
    ['', ...answered.map(({ title }) => title)],
    ...QUESTIONS.map(({ name }) => [name, ...answered.map(({ answers }) => answers?.[name] ?? '-')]),
  ];
  return `# Beside other packages that keep replies

What the client of a handler sees, by ${answered.length === rows.length ? 'all' : 'those'} that could be installed: real Nest applications with Express, two
replicas as processes, real Redis. \`node test/bench/peers/run.mjs --out docs/bench\` made this page on ${date.slice(0, 10)}; Node.js ${node}, ${redis}, ${system}.

${asMarkdown(table)}

## What was asked

${QUESTIONS.map(({ name, asks }) => `- **${name}**: ${asks}`).join('\n')}

"Ran" counts the entries into the handler, in both replicas. The \`ClassSerializerInterceptor\` is an interceptor of the application; where a package's
interceptor is registered globally, it is one of the controller, so that the package's stands outside of it, where it does best.

## How to read it

- **Duplicates while the first runs.** The others answer 409 by design, and the client asks again; ours waits for the reply, for 8 s unless told otherwise.
  \`onBusy: 'reject'\` answers at once, too.
- **A crash.** Theirs is over when the entry of the request under way expires: after 24 hours by default (\`cacheTTLMS\`, \`ttl\`), after \`processingTtl\`
  where that is set, which has to be longer than any request. Ours is over with the lease of the lock, which is extended while the process lives.
- **Large replies.** Theirs are kept however large; ours up to \`maxBytes\`, 16 KB by default and 60,000 bytes at most on nodes; more in a database. A duplicate
  of a larger one is refused, and does not run.
- **Streams.** What the others keep of a \`StreamableFile\` is its object as JSON. The process of the decorator of @node-idempotency/nestjs 1.0.4 ends, with
  or without a key, where the serializer is one of the application: its interceptor passes on a promise, and the serializer takes the file apart.
- **Nodes.** The others are used as they are documented: with one Redis. That one of several nodes fails is not part of this page.

## What was used

${answered.map(({ title, uses, versions = {} }) => `- **${title}**: ${uses}. ${versionsText(versions)}.`).join('\n')}
${missing.map(({ title, note }) => `- **${title}** is missing: it ${note}.`).join('\n')}
`.replace(/\n+$/, '\n');
}

/** @param {Record<string, string>} versions */
function versionsText(versions) {
  return Object.entries(versions)
    .map(([name, version]) => `${name === '@nestjs/core' ? 'Nest' : name} ${version}`)
    .join(', ');
}
