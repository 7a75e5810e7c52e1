/** A text that looks like a part of a key and is none. It is the same for all calls, so that they would share one lock. */
export interface KeySlip {
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

/** Returns the first slip in the text around the parts of a key. */
export function slipIn(literals: readonly string[]): KeySlip | undefined {
  // The `>` shows that the text follows a part and is not the beginning of the key.
  const texts = literals.map((literal, index) => (index === 0 ? literal : `>${literal}`));
  for (const text of texts) {
    const slip = inBraces(text) ?? bare(text);
    if (slip) return slip;
  }
  return undefined;
}

function inBraces(text: string): KeySlip | undefined {
  const [found, inner = ''] = BRACES.exec(text) ?? [];
  return found === undefined ? undefined : { found, meant: partsFor(inner) };
}

function bare(text: string): KeySlip | undefined {
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

/** The same as a text that the compiler prints; `never` if there is no slip, or if the compiler cannot know. */
export type KeySlipOf<Key extends string> = SlipIn<LiteralsOf<Key>> | PathSlip<PartsOf<Key>>;

/** The texts in angle brackets. */
type PartsOf<Key extends string> = string extends Key
  ? never
  : Key extends `${string}<${infer Part}>${infer Rest}`
    ? Part | PartsOf<Rest>
    : never;

type PathSlip<Part extends string> = Part extends unknown
  ? {} extends Record<Part, unknown>
    ? never
    : Part extends `${string}${'?' | '!' | '[' | '(' | '{'}${string}`
      ? `<${Part}> is no path; write <body.email>`
      : never
  : never;

type LiteralsOf<Key extends string> = string extends Key
  ? never
  : Key extends `${infer Literal}<${string}>${infer Rest}`
    ? Literal | LiteralsOf<`>${Rest}`>
    : Key;

type SlipIn<Text extends string> = Text extends unknown
  ? {} extends Record<Text, unknown>
    ? never
    : Text extends `${string}{${infer Inner}}${string}`
      ? `{${Inner}} is the same for all calls; write ${Inner extends `${number}` ? `<${Inner}>` : '<body.email>'}, or a key function`
      : Text extends RootAlone | RootBehind
        ? `${Text} is the same for all calls; write <body.email>, or a key function`
        : Text extends `:${infer Name}` | `${string}${'::' | '/:' | ' :' | '-:'}${infer Name}`
          ? ParameterSlip<Name>
          : Text extends Variable<infer Name>
            ? VariableSlip<Name>
            : Text extends Format
              ? `% is the same for all calls; write <body.email>, or a key function`
              : never
  : never;

type PlainRoot = 'body' | 'params' | 'query' | 'headers' | 'args';
type RootAlone = `${PlainRoot}.${string}`;
type RootBehind = `${string}${':' | '/' | '$' | '#'}${PlainRoot | 'user' | 'data' | 'parent'}.${string}`;

type Sign = '$' | '#';
type Variable<Name extends string> = `${Sign}${Name}` | `${string}${':' | '/' | '|' | '=' | '-'}${Sign}${Name}`;
type Verb = `%${'s' | 'd' | 'i' | 'f' | 'j' | 'o' | 'O'}`;
type Format = `${string}${Verb}` | `${string}${Verb}${':' | '/' | ' ' | '-' | '>'}${string}`;

type ParameterSlip<Name extends string> = Name extends `${infer First}${string}`
  ? Uppercase<First> extends Lowercase<First>
    ? never
    : `:${Name} is the same for all calls; write <params.email>, or a key function`
  : never;

type VariableSlip<Name extends string> = Name extends `${infer First}${string}`
  ? Uppercase<First> extends Lowercase<First>
    ? never
    : `${Name} is the same for all calls; write <body.email>, or a key function`
  : never;
