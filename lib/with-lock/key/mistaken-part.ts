import { coded } from '../../engine/codes.js';
import type { Lines } from '../../logging/safe-logger.js';
import { ROOTS } from './key-roots.js';

/** A text that looks like a part of a key and is none. It is the same for all calls, so that they would share one lock. */
export interface MistakenPart {
  readonly found: string;
  /** What to write in its place. */
  readonly meant: string;
}

/** `{body.email}`, `${email}`, `#{email}`, `{{email}}`, `{}`. */
const BRACES = /[$#%@]?\{+([^{}]*)\}+/;
/** `body.email`, `req.body.email`, `body?.email`, `body['email']`. */
const ROOT =
  /(?<![\w.])(?:(?:req|request)\.)?(?:body|params|query|headers|args)(?:\??\.(?=\w)|\[(?=['"\d]))[\w.?[\]'"-]+/;
/** Names may also begin with these words, such as `user.created`, so that they count only behind a separator. */
const ROOT_OR_NAME = /(?<=[:/|$#@([=])(?:user|data|parent)(?:\??\.(?=\w)|\[(?=['"\d]))[\w.?[\]'"-]+/;
/** `0.email`, at the beginning of a segment. */
const POSITION = /(?<=^|[:/|])\d\.[A-Za-z_]{2}[\w.]*/;
/** `:email` as in a route, also behind a separator: `user::email`, `users/:email`. */
const PARAMETER = /(?<=^|[:/ -]):[A-Za-z_]\w*/;
/** `$email` as in a shell and `#email` as in SpEL, at the beginning of a segment; `price:$5` and `#42` are names. */
const VARIABLE = /(?<=^|[:/|=-])[$#][A-Za-z_]\w*/;
/** `%s`, but no encoded byte such as `%d0`. */
const FORMAT = /%[sdifjoO](?![A-Za-z0-9])/;

const BEGINS_A_PART = /^(?:body|params|query|headers|args|user|data|parent|\d+)\./;

/** Returns the first mistaken part in the text around the parts of a key. */
export function mistakenPartIn(literals: readonly string[]): MistakenPart | undefined {
  // The `>` shows that the text follows a part and is not the beginning of the key.
  const texts = literals.map((literal, index) => (index === 0 ? literal : `>${literal}`));
  for (const text of texts) {
    const mistaken = inBraces(text) ?? bare(text);
    if (mistaken) return mistaken;
  }
  return undefined;
}

function inBraces(text: string): MistakenPart | undefined {
  const [found, inner = ''] = BRACES.exec(text) ?? [];
  return found === undefined ? undefined : { found, meant: partsFor(inner) };
}

function bare(text: string): MistakenPart | undefined {
  for (const pattern of [ROOT, ROOT_OR_NAME, POSITION, PARAMETER, VARIABLE, FORMAT]) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return { found, meant: partsFor(found.replace(/^[:$#]/, '')) };
  }
  return undefined;
}

function partsFor(written: string): string {
  const path = written
    .trim()
    .replace(/^(?:req|request)\./, '')
    .replace(/\?\.|\[/g, '.')
    .replace(/[\]'"]/g, '');
  if (BEGINS_A_PART.test(path) || /^\d+$/.test(path)) return `<${path}>`;
  const name = /^[\w-]+(?:\.[\w-]+)*$/.test(path) ? path : 'email';
  return `<body.${name}>, <params.${name}> or <0.${name}>`;
}

/** Matches what would be a part of a key in `@WithLock`: `<body.email>`, `<0>`, `<0.email|trim>`. */
const PART = new RegExp(`<(?:(?:${ROOTS.join('|')})\\.[\\w.-]{1,64}|\\d{1,2}(?:\\.[\\w.-]{1,64})?)(?:\\|[a-z]{1,9})*>`);
/** Matches what JavaScript makes within a string of a missing value or an object: `undefined`, `[object Object]`. */
const NOTHING = /(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|\[object \w{1,64}\]/u;
const SUSPECT = /<|undefined|\[object /;
/** How many lines are logged at most: what is found in a name may be data, which differs from call to call and must not flood the log. */
const MOST_LINES = 20;

const MEANT_AS_PART =
  'withLock and acquire take names as they are, so all calls share one lock. If that text is meant as a part of a key, write ' +
  "redlock.key('user:<0>', email).";
const MADE_OF_NOTHING =
  'A missing value or an object became a part of the text, so all such calls share one lock. ' +
  "redlock.key('user:<0>', email) fails instead.";

/**
 * Warns of names that look like templates although they are used as they are, once for each part that is found. The lock is taken all the
 * same, since such a name may be intended.
 */
export class MistakenPartLog {
  readonly #reported = new Set<string>();

  constructor(private readonly logger: Pick<Lines, 'warn'>) {}

  look(resource: string | readonly string[]): void {
    const names: unknown = typeof resource === 'string' ? [resource] : resource;
    // This runs with every lock, so the usual case has to cost next to nothing. Values that are no names are refused elsewhere.
    if (Array.isArray(names))
      for (const name of names) if (typeof name === 'string' && SUSPECT.test(name)) this.#notify(name);
  }

  #notify(name: string): void {
    const [part] = PART.exec(name) ?? [];
    const [nothing] = NOTHING.exec(name) ?? [];
    if (part !== undefined) this.#warn(part, MEANT_AS_PART);
    else if (nothing !== undefined) this.#warn(nothing, MADE_OF_NOTHING);
  }

  #warn(found: string, why: string): void {
    if (this.#reported.has(found) || this.#reported.size >= MOST_LINES) return;
    this.#reported.add(found);
    const text = `The name of a lock has ${found} in it. ${why} If that text is data, ignore this line.`;
    this.logger.warn(coded('REDLOCK_W10', text));
  }
}
