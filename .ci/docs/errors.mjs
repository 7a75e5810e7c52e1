// docs/reference/errors.md: codes, statuses and members as the code has them; causes and remedies by hand.
import { commentedTexts, commentOf, exported, membersOf, summaryOf } from './model.mjs';
import { code, quoted, table } from './table.mjs';

const HELP = '../operate/troubleshooting.md';

/** @type {Readonly<Record<string, readonly [cause: string, remedy: string]>>} */
const ERRORS = {
  ResourceLockedError: [
    'Another holder kept the resource until `waitTimeout` was over, or the key holds data of another type.',
    `Try again after \`retryAfter\`. If the error is frequent, [compare \`waitTimeout\` with the duration of the work](${HELP}).`,
  ],
  QuorumNotReachedError: [
    'Too few nodes voted within `quorumTimeout`: nodes are down, in quarantine, slow or refusing.',
    `Read \`nodes\`, and run \`npx nestjs-redlock status\`: [no quorum](${HELP}).`,
  ],
  LockLostError: [
    'The lease ended while the work was running.',
    `Pass \`lock.signal\` to what the method calls. Check what the work has done: [a lock was lost](${HELP}).`,
  ],
  LockKeyError: [
    'A part of the key is missing, empty or unusable.',
    `The message in the log (level \`debug\`) names the part. [Correct the request or the key](${HELP}).`,
  ],
  RedlockClosedError: [
    'The application is shutting down and its servers are closed.',
    `Send the request to another replica: [shutdown](${HELP}).`,
  ],
  RedlockError: [
    '`NO_SERVICE`: your code made the object with `new`, or called the method in a constructor, so Nest had injected no service.',
    `Let Nest make the object, import \`RedlockModule\`, and call the method later: [startup](${HELP}).`,
  ],
};

/** @type {Readonly<Record<string, string>>} Why a lock was lost. */
const REASONS = {
  nodes: 'A quorum of nodes no longer has the lock, or confirmed no extension in time.',
  pause: 'The process was paused, or its event loop was blocked, until the lease had expired.',
  ttl: 'The lease expired, and automatic extension was off.',
  max_hold: 'The lock reached `maxHold`, and extension ended.',
  shutdown: 'The application shut down, and the work took longer than `shutdownTimeout`.',
  released: 'Your code had released the lock already.',
};

/** @type {Readonly<Record<string, string>>} Cause and remedy of each code of an `IdempotencyError`. */
const REFUSALS = {
  IDEMPOTENCY_IN_PROGRESS: 'The first call is still running after `waitTimeout`. Try again after `retryAfter`.',
  IDEMPOTENCY_KEY_REUSED: 'The key belongs to another request. Correct the client, or choose a narrower `fingerprint`.',
  IDEMPOTENCY_KEY_MISSING: 'The header is missing. Send the header, or set `required: false`.',
  IDEMPOTENCY_KEY_INVALID:
    'The header is empty, longer than 255 characters, not ASCII, or has two values. Correct the client.',
  IDEMPOTENCY_OUTCOME_UNKNOWN:
    "An attempt was interrupted, and `onInterrupted` is `'refuse'`. Check what the attempt did, then call `forget`.",
  IDEMPOTENCY_REPLY_NOT_KEPT:
    'The first call ended, and its reply was too large, a stream or late. Read `headers`, which may hold a `Location`.',
  IDEMPOTENCY_REPLY_UNREADABLE: 'The record has another version, another encryption key or damage. Read `cause`.',
  IDEMPOTENCY_STORE_UNAVAILABLE:
    'The store of the replies does not answer, so the work did not start. Try again after `retryAfter`.',
  IDEMPOTENCY_SUPERSEDED:
    '`keepIn` rejects because a later attempt has taken over. Let the error roll back your transaction.',
};

/** @typedef {import('./code.mjs').Code} Code */

/** @param {import('./model.mjs').Project} project @param {Code} lib */
export function errorsPage(project, lib) {
  const parts = [
    INTRODUCTION,
    overviewOf(lib),
    CLIENTS,
    membersOfAll(project),
    refusalsOf(project, lib),
    mistakesOf(lib),
    END,
  ];
  return parts.join('\n\n');
}

const INTRODUCTION = `# Errors

Each error of this library, with its code, its status and what to do.

**Read this if** a call fails and you need to know why, or you write code that handles the failure.

## Tell errors apart

Compare \`code\`. The code is the same in every version of the message, and in every copy of the package.

\`\`\`ts
// report.service.ts
import { Injectable } from '@nestjs/common';
import { RedlockService } from 'nestjs-redlock';

@Injectable()
export class ReportService {
  constructor(private readonly redlock: RedlockService) {}

  async write(): Promise<'written' | 'busy'> {
    try {
      return await this.redlock.withLock('report:2026', async () => 'written' as const, { waitTimeout: 0 });
    } catch (error) {
      // Another replica is writing the report.
      if ((error as { code?: string }).code === 'RESOURCE_LOCKED') return 'busy';
      throw error;
    }
  }
}
\`\`\`

\`instanceof RedlockError\` and \`@Catch(RedlockError)\` also recognize errors of a second copy of the package.
Errors of your own handler pass through unchanged.`;

const CLIENTS = `## What clients receive

${table(
  ['transport', 'answer'],
  [
    [
      'HTTP',
      '`{ statusCode, error, message, code }`, and `Retry-After` in seconds if the error has `retryAfter`. A 500 is the plain answer of Nest.',
    ],
    ['GraphQL', 'the message, with `extensions.code` and `extensions.retryAfter` in ms'],
    ['Microservices', "`{ status: 'error', message, code, retryAfter }` as the error of the call"],
    ['WebSockets', "the event `exception` with `{ status: 'error', message, code, retryAfter }`"],
    ['Server-sent events', 'an `error` event if the status 200 has been sent already'],
  ],
)}

Answers leave out the names of nodes, resources and holders. With HTTP and GraphQL, your exception filters find the error of a locked
handler in \`exception.cause\`; otherwise they get the error itself. Your filters run before those of the library, with one exception: in a
microservice, a \`@MessagePattern\` handler with \`@WithLock\` answers before [filters of the application](../guides/with-lock.md#what-clients-see).
To send other answers, set [\`exceptionFactory\`](options.md#pool).`;

const END = `**Next:** [troubleshooting](${HELP}).

[All pages](../README.md)
`;

/** @param {Code} lib */
function overviewOf(lib) {
  return `## Overview

${table(['error', '`code`', 'HTTP', 'Cause', 'What to do'], overview(lib))}

All of them extend \`RedlockError\`, which extends \`Error\`.

### If your signal aborts

If the \`signal\` of a call aborts while the call waits, the call rejects with \`signal.reason\`.
That is an \`AbortError\` unless you passed another reason to \`abort()\`. The event \`refused\` then has the code \`ABORTED\`.`;
}

/** @param {import('./model.mjs').Project} project */
function membersOfAll(project) {
  const reasons = literals(exported(project, 'LockLossReason').type);
  return `## Members

${Object.keys(ERRORS)
  .map((name) => `### ${name}\n\n${summaryOf(exported(project, name).comment)}\n\n${members(project, name)}`)
  .join('\n\n')}

### Reasons of a LockLostError

${table(
  ['`reason`', 'meaning'],
  reasons.map((reason) => [code(reason), REASONS[reason] ?? missing(reason)]),
)}

The \`reason\` is for programs, and \`why\` is for people.

### Outcomes of a node

\`nodes\` of an error has one entry for each node: \`node\`, \`outcome\` and \`detail\`.

${table(
  ['`outcome`', 'meaning'],
  commentedTexts('lib/engine/errors.ts', 'NodeOutcome').map(([outcome, meaning]) => [code(outcome), meaning]),
)}`;
}

/** @param {import('./model.mjs').Project} project @param {Code} lib */
function refusalsOf(project, lib) {
  const refusals = literals(exported(project, 'IdempotencyErrorCode').type);
  return `## IdempotencyError

\`nestjs-redlock/idempotency\` throws \`IdempotencyError\`, which extends \`Error\`. Handlers with [\`@Idempotent\`](../guides/idempotency.md) answer with the status.
\`once\` rejects with the error itself.

${table(
  ['`code`', 'status', 'Cause, and what to do'],
  refusals.map((refusal) => [code(refusal), statusOf(refusal, lib), REFUSALS[refusal] ?? missing(refusal)]),
)}

${members(project, 'IdempotencyError')}`;
}

/** The anchor that GitHub gives to this heading. @param {string} heading */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** @param {Code} lib */
function mistakesOf(lib) {
  return `## Mistakes in code and settings

A wrong option, key template or decorator throws a \`TypeError\` or a \`RangeError\` with a \`code\`. Warnings in the log end with a code, too.
Each code leads to its heading in [troubleshooting](${HELP}).

${table(
  ['code', 'meaning'],
  Object.entries(lib.CODES).map(([name, title]) => [`[${code(name)}](${HELP}#${slug(`${name} ${title}`)})`, title]),
)}`;
}

/** @param {Code} lib */
function overview(lib) {
  const made = {
    ResourceLockedError: new lib.ResourceLockedError([], 1, []),
    QuorumNotReachedError: new lib.QuorumNotReachedError([], [], ''),
    LockLostError: new lib.LockLostError([], 'ttl', ''),
    LockKeyError: new lib.LockKeyError(''),
    RedlockClosedError: new lib.RedlockClosedError(),
    RedlockError: new lib.RedlockError('NO_SERVICE', [], ''),
  };
  return Object.entries(made).map(([name, error]) => {
    const reply = lib.errorReply(error);
    const status = `${reply?.status ?? 500}${reply?.retryAfter === undefined ? '' : ', `Retry-After`'}`;
    const [cause, remedy] = ERRORS[name] ?? missing(name);
    return [`[\`${name}\`](#${name.toLowerCase()})`, code(error.code), status, cause, remedy];
  });
}

/** The own members of a class. @param {import('./model.mjs').Project} project @param {string} name */
function members(project, name) {
  const rows = membersOf(exported(project, name))
    .filter((member) => member.name !== 'name')
    .map((member) => [
      code(member.name),
      code((member.type ?? member.getSignature?.type)?.toString() ?? ''),
      quoted(summaryOf(commentOf(member))),
    ]);
  return rows.length === 0 ? 'The members of `RedlockError`.' : table(['member', 'type', 'meaning'], rows);
}

/** @param {import('typedoc').SomeType | undefined} type @returns {string[]} */
function literals(type) {
  return type?.type === 'union' ? type.types.map((one) => one.toString().replaceAll('"', '')) : [];
}

/** @param {string} name @param {Code} lib */
function statusOf(name, lib) {
  const adapter = { isHeadersSent: () => true };
  const place = /** @type {never} */ ({ response: {}, adapter, docs: undefined });
  const error = new lib.IdempotencyError(/** @type {never} */ (name), 'key', { retryAfter: 1 });
  const status = `${lib.toHttpRefusal(error, place).getStatus()}`;
  return name.endsWith('IN_PROGRESS') || name.endsWith('UNAVAILABLE') ? `${status}, \`Retry-After\`` : status;
}

/** @param {string} what @returns {never} */
function missing(what) {
  throw new Error(`.ci/docs/errors.mjs, or a doc comment in lib, says nothing of ${what}`);
}
