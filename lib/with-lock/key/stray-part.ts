/** A text that looks like a part of a key and is none. It is the same for all calls, so that they would share one lock. */
export interface StrayPart {
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

/** Returns the first stray part in the text around the parts of a key. */
export function strayPartIn(literals: readonly string[]): StrayPart | undefined {
  // The `>` shows that the text follows a part and is not the beginning of the key.
  const texts = literals.map((literal, index) => (index === 0 ? literal : `>${literal}`));
  for (const text of texts) {
    const stray = inBraces(text) ?? bare(text);
    if (stray) return stray;
  }
  return undefined;
}

function inBraces(text: string): StrayPart | undefined {
  const [found, inner = ''] = BRACES.exec(text) ?? [];
  return found === undefined ? undefined : { found, meant: partsFor(inner) };
}

function bare(text: string): StrayPart | undefined {
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
