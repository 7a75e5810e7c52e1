import type { KeyFilter } from './key-template.js';

/** The words that a part can begin with, other than the arguments of the method. */
type RequestRoot = 'body' | 'params' | 'query' | 'headers' | 'user' | 'data' | 'parent';

/** What is wrong with a key for requests of the type `T`, as a text that the compiler prints; `never` if nothing is. */
export type KeyMistake<Key extends string, T> = StrayPartOf<Key> | PartMistake<PartsOf<Key>, RequestShape<T>>;

/** The same for a key whose parts are checked only if they are read from the arguments of a method. */
export type ArgumentMistake<Key extends string, Args> =
  StrayPartOf<Key> | PathMistake<ArgumentPath<PathOf<PartsOf<Key>>>, Args>;

/** A type whose properties are all named as roots describes the whole request; any other type describes its body. */
type RequestShape<T> = [keyof T] extends [RequestRoot | 'args'] ? T : { body: T };

/** The texts in angle brackets. */
type PartsOf<Key extends string> = string extends Key
  ? never
  : Key extends `${string}<${infer Part}>${infer Rest}`
    ? Part | PartsOf<Rest>
    : never;

type PathOf<Part extends string> = Part extends `${infer Path}|${string}` ? Trimmed<Path> : Trimmed<Part>;

type FiltersOf<Part extends string> = Part extends `${string}|${infer Rest}` ? PathOf<Rest> | FiltersOf<Rest> : never;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trimmed<Rest> : Text;

type PartMistake<Part extends string, T> = Part extends unknown
  ? FilterMistake<FiltersOf<Part>> | RequestMistake<PathOf<Part>, T>
  : never;

type FilterMistake<Name extends string> = Name extends KeyFilter
  ? never
  : IsOpen<Name> extends true
    ? never
    : `${Name} is none of the filters trim, lower, upper and hash`;

type RequestMistake<Path extends string, T> = Path extends unknown
  ? ArgumentPath<Path> extends never
    ? RootOf<Path> extends keyof T
      ? PathMistake<RootOf<Path> extends 'headers' ? Lowercase<Path> : Path, T>
      : RootOf<Path> extends RequestRoot | 'args'
        ? never
        : IsOpen<Path> extends true
          ? never
          : `<${Path}> begins with none of body, params, query, headers, user, data, parent and args`
    : never
  : never;

type RootOf<Path extends string> = Path extends `${infer Root}.${string}` ? Root : Path;

/** A path below the arguments, if it begins with a position; otherwise `never`. */
type ArgumentPath<Path extends string> = Path extends `args.${infer Rest}` ? ByPosition<Rest> : ByPosition<Path>;

type ByPosition<Path extends string> = Path extends `${number}` | `${number}.${string}` ? Path : never;

type PathMistake<Path extends string, T> = Path extends unknown
  ? IsOpen<Path> extends true
    ? never
    : [Found<T, Path>] extends [never]
      ? `<${Path}> leads to no text, number or boolean`
      : never
  : never;

/** True for a text of which the compiler does not know every character. */
type IsOpen<Text extends string> = {} extends Record<Text, unknown> ? true : false;

/** True if a path may lead to a text, also through properties that may be missing, and if the compiler cannot know. */
type Found<T, Path extends string> = T extends null | undefined
  ? never
  : unknown extends T
    ? true
    : Path extends `${infer Step}.${infer Rest}`
      ? Found<Member<T, Step>, Rest>
      : IsText<Member<T, Path>>;

type Member<T, Step extends string> = T extends object
  ? [keyof T] extends [never]
    ? unknown
    : Step extends keyof T
      ? T[Step]
      : Step extends `${infer Index extends number}`
        ? Element<T, Index>
        : never
  : never;

type Element<T, Index extends number> = T extends readonly (infer Item)[]
  ? number extends T['length']
    ? Item
    : never
  : Index extends keyof T
    ? T[Index]
    : never;

type IsText<T> = unknown extends T ? true : T extends string | number | bigint | boolean ? true : never;

/**
 * What looks like a part of a key and is none (`strayPartIn`), as a text that the compiler prints; `never` if there is nothing of that kind,
 * or if the compiler cannot know.
 */
export type StrayPartOf<Key extends string> = StrayIn<LiteralsOf<Key>> | NoPath<PartsOf<Key>>;

type NoPath<Part extends string> = Part extends unknown
  ? IsOpen<Part> extends true
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

type StrayIn<Text extends string> = Text extends unknown
  ? IsOpen<Text> extends true
    ? never
    : Text extends `${string}{${infer Inner}}${string}`
      ? Stray<`{${Inner}}`, Inner extends `${number}` ? `<${Inner}>` : '<body.email>'>
      : Text extends RootAlone | RootBehind
        ? Stray<Text, '<body.email>'>
        : Text extends `:${infer Name}` | `${string}${'::' | '/:' | ' :' | '-:'}${infer Name}`
          ? StrayName<`:${Name}`, Name, '<params.email>'>
          : Text extends Variable<infer Name>
            ? StrayName<Name, Name, '<body.email>'>
            : Text extends Format
              ? Stray<'%', '<body.email>'>
              : never
  : never;

type PlainRoot = 'body' | 'params' | 'query' | 'headers' | 'args';
type RootAlone = `${PlainRoot}.${string}`;
type RootBehind = `${string}${':' | '/' | '$' | '#'}${PlainRoot | 'user' | 'data' | 'parent'}.${string}`;

type Sign = '$' | '#';
type Variable<Name extends string> = `${Sign}${Name}` | `${string}${':' | '/' | '|' | '=' | '-'}${Sign}${Name}`;
type FormatVerb = `%${'s' | 'd' | 'i' | 'f' | 'j' | 'o' | 'O'}`;
type Format = `${string}${FormatVerb}` | `${string}${FormatVerb}${':' | '/' | ' ' | '-' | '>'}${string}`;

type StrayName<
  Written extends string,
  Name extends string,
  Part extends string,
> = Name extends `${infer First}${string}`
  ? Uppercase<First> extends Lowercase<First>
    ? never
    : Stray<Written, Part>
  : never;

type Stray<
  Written extends string,
  Part extends string,
> = `${Written} is the same for all calls; write ${Part}, or a key function`;
