// docs/reference/options.md: types, defaults and sentences from the doc comments, ranges from what the checks say of a wrong value.
import { commentOf, exported, membersOf, summaryOf, tagOf } from './model.mjs';
import { code, quoted, table } from './table.mjs';

/** @typedef {import('./code.mjs').Code} Code */
/** @typedef {(name: string, value: unknown) => unknown} Check throws for a value that the option cannot have */

/** @typedef {Readonly<Record<string, string>>} Ranges */
/** @typedef {(name: string, check: Check, ranges?: Ranges) => string} Rows makes the table of the options of a type */

/** A value that no option can have. */
const WRONG = Symbol('wrong');
const LONGEST = /2147483647/g;
const LEADER_RANGES = { ttl: 'as of a lock', stopTimeout: '0 to 2^31-1' };

/** @param {import('./model.mjs').Project} project @param {Code} lib */
export function optionsPage(project, lib) {
  checkDefaults(project, lib);
  const rows = rowsOf(project);
  const leases = { ttl: `${leastTtl(lib)} to \`maxTtl\``, minHold: '0 to `maxTtl`' };
  const locks = [pool(rows, lib), lock(rows, lib, leases), leader(rows)];
  const parts = [INTRODUCTION, ...locks, kept(rows, lib, leases), others(rows), END];
  return parts.join('\n\n');
}

const INTRODUCTION = `# Options

Every option, with its type, its default and its range.

**Read this if** you configure a pool, a lock or kept replies.

All durations are milliseconds. The largest duration is 2^31-1 ms, about 24 days.
A wrong option throws where you write it, or at startup if it does not fit the pool. The error names the option, the value and the range.

Numbers and flags of a pool, and of its \`defaults\`, may be texts such as \`'30000'\` and \`'true'\`.
You can therefore pass values of \`process.env\` as they are.`;

const END = `**Next:** [errors](errors.md).

[All pages](../README.md)
`;

/** @param {Rows} rows @param {Code} lib */
function pool(rows, lib) {
  /** @type {Check} */
  const ofPool = (name, value) => lib.readModuleOptions({ nodes: [], [name]: value });
  return `## Pool

\`RedlockModule.forRoot()\` and \`forRootAsync()\` take these options. They hold for all locks of the pool.
With \`forRootAsync()\`, write \`isGlobal\` and \`name\` beside \`useFactory\`.
[Redis for locks](../operate/redis.md) describes the addresses in \`nodes\`.

${rows('RedlockModuleOptions', ofPool)}

${rows('RedlockModuleExtras', () => undefined)}`;
}

/** @param {Rows} rows @param {Code} lib @param {Ranges} lockRanges */
function lock(rows, lib, lockRanges) {
  /** @type {Check} */
  const ofLock = (name, value) => lib.checkLockOptions({ [name]: value }, 'option');
  /** @type {Check} */
  const ofMethod = (name, value) => lib.toPlan('key', { [name]: value }, 'option');
  return `## Lock

\`acquire\`, \`tryAcquire\`, \`withLock\` and \`@WithLock\` take these options for each call.
The option \`defaults\` of the pool takes them for all locks of the pool. A call overrides the pool.
[Life of a lock](../concepts/life-of-a-lock.md) helps you to choose \`ttl\`, \`waitTimeout\` and \`maxHold\`.

${rows('LockOptions', ofLock, lockRanges)}

## \`@WithLock\`

\`@WithLock\` takes all options of a lock, and these for its method.

${rows('WithLockOptions', ofMethod)}`;
}

/** @param {Rows} rows */
function leader(rows) {
  return `## Leader

\`lead\` takes these options. [One leader](../guides/leader.md) describes them.

${rows('LeadOptions', () => undefined, LEADER_RANGES)}

\`@Leader\` takes \`ttl\`, \`stopTimeout\` and \`pool\`, the name of the pool.`;
}

/** @param {Rows} rows @param {Code} lib @param {Ranges} lockRanges */
function kept(rows, lib, lockRanges) {
  /** @type {Check} */
  const ofReply = (name, value) => lib.checkModuleOptions({ [name]: value });
  /** @type {Check} */
  const ofIdempotent = (name, value) => lib.toIdempotentPlan(undefined, { [name]: value }, 'option');
  return `## Kept replies

\`RedlockIdempotencyModule\`, \`@Idempotent\` and \`once\` of \`nestjs-redlock/idempotency\` take these options.
A method or a call overrides the module.

${rows('IdempotencyOptions', ofReply, lockRanges)}

\`RedlockIdempotencyModule\` alone takes these, for all replies of the pool.

${rows('RedlockIdempotencyOptions', ofReply)}

${rows('RedlockIdempotencyExtras', () => undefined)}

\`@Idempotent\` alone takes these, for its method.

${rows('IdempotentOptions', ofIdempotent)}

\`once\` alone takes these, for each call.

${rows('OnceOptions', () => undefined)}`;
}

/** @param {Rows} rows */
function others(rows) {
  return `## Beside the pool

\`RedlockTelemetryModule.forRoot()\` takes these options.

${rows('RedlockTelemetryOptions', () => undefined)}

\`RedlockHealthIndicator.check()\` takes these options.

${rows('RedlockHealthOptions', () => undefined)}

\`RedlockTestingModule.forRoot()\` takes the options of a pool, and these.

${rows('RedlockTestingOptions', () => undefined)}`;
}

/** @param {import('./model.mjs').Project} project @returns {Rows} */
function rowsOf(project) {
  return (name, check, ranges = {}) => {
    const options = membersOf(exported(project, name));
    return table(
      ['option', 'type', 'default', 'range', 'meaning'],
      options.map((option) => [
        `**\`${option.name}\`**`,
        typeOf(option),
        defaultOf(option),
        ranges[option.name] ?? rangeOf(option.name, check),
        quoted(summaryOf(commentOf(option))),
      ]),
    );
  };
}

/** @param {import('./model.mjs').Declaration} option */
function typeOf(option) {
  const type = option.type?.toString() ?? (option.kindOf(2048) ? 'function' : '');
  return code(type.length > 60 && type.includes('=>') ? 'function' : type);
}

/** @param {import('./model.mjs').Declaration} option */
function defaultOf(option) {
  const text = tagOf(commentOf(option), '@default');
  if (text === '') return option.flags.isOptional ? 'none' : 'required';
  // A value, or words.
  return /^('[^']*'|[\d_.,]+|true|false|\[\]|Infinity)$/.test(text) ? code(text) : quoted(text);
}

/** @param {string} name @param {Check} check @returns {string} what the error for a wrong value says */
function rangeOf(name, check) {
  try {
    check(name, WRONG);
    return '';
  } catch (error) {
    const bound = / must be ([^]*); got /.exec(/** @type {Error} */ (error).message)?.[1] ?? '';
    if (!/\d/.test(bound) || bound.includes('function')) return '';
    return bound
      .replace(/a (?:whole )?number (?:of ms )?from (\d+)(?! to)/, 'from $1')
      .replace(/a (?:whole )?number (?:of ms )?(?:from )?/, '')
      .replace('a name of ', '')
      .replace(LONGEST, '2^31-1')
      .replace('Infinity', '`Infinity`');
  }
}

/** Returns the shortest ttl that a call can have. @param {Code} lib */
function leastTtl(lib) {
  for (let ttl = 1; ; ttl += 1) {
    try {
      lib.prepareOptions(lib.defaultsWithin(lib.MAX_TTL), { ttl });
      return ttl;
    } catch {
      // One more.
    }
  }
}

/** The doc comments say the defaults that the code has. @param {import('./model.mjs').Project} project @param {Code} lib */
function checkDefaults(project, lib) {
  for (const option of exported(project, 'LockOptions').children ?? []) {
    const value = lib.DEFAULT_LOCK_OPTIONS[/** @type {keyof typeof lib.DEFAULT_LOCK_OPTIONS} */ (option.name)];
    const said = tagOf(commentOf(option), '@default').replaceAll(/(?<=\d)[_,](?=\d)/g, '');
    if (option.name in lib.DEFAULT_LOCK_OPTIONS && !said.startsWith(`${value}`))
      throw new Error(`${option.name}: the default is ${value}, not ${said}`);
  }
}
