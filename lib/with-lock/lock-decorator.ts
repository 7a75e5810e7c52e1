import type { Subscribable } from 'rxjs';
import type { KeyFilter } from './key/key-template.js';
import type { LockKey } from './key/lock-key.js';
import type { WithLockOptions } from './run/lock-plan.js';

/**
 * What `@WithLock` returns: a decorator for methods that return a Promise or an Observable. Their parameters must have what the key reads.
 * The compiler rejects other methods.
 */
export interface LockDecorator<Key extends LockKey> {
  <Args extends readonly unknown[], Result>(
    target: object,
    name: string | symbol,
    descriptor: { readonly value?: (...args: Args) => Result },
  ): Verdict<[ResultMistake<Result>] extends [never] ? MethodMistake<Key, Args> : ResultMistake<Result>>;

  /** Never called. With two signatures TypeScript checks less, so that `applyDecorators` takes this decorator. */
  (...uncalled: [never, never, never]): void;
}

/**
 * Nothing, or a type that no decorator may return, whose property names the compiler prints. A mapped type: if its names are not known yet,
 * as with a type parameter of the class, it has no properties.
 */
type Verdict<Mistake extends string> = void | { readonly [Why in Mistake]: never };

type MethodMistake<Key extends LockKey, Args> = [LockKey] extends [Key]
  ? never
  : Key extends string
    ? ArgumentMistake<Key, Args>
    : Key extends readonly (infer Template extends string)[]
      ? ArgumentMistake<Template, Args>
      : Key extends (...args: infer KeyArgs) => unknown
        ? FunctionMistake<KeyArgs, Args>
        : never;

/** Nothing if the result may be a Promise or an Observable, or if the compiler cannot know. */
type ResultMistake<Result> = unknown extends Result
  ? never
  : [Result] extends [never]
    ? never
    : [Extract<Result, PromiseLike<unknown> | Subscribable<unknown>>] extends [never]
      ? 'a locked method returns a Promise or an Observable: make it async'
      : never;

type FunctionMistake<KeyArgs extends readonly unknown[], Args> = [Args] extends [AtLeast<KeyArgs>]
  ? never
  : 'the key function takes other arguments than the method';

/** A method may have more parameters than its key function. */
type AtLeast<Args extends readonly unknown[]> = number extends Args['length'] ? Args : readonly [...Args, ...unknown[]];

/** A `@WithLock` whose keys the compiler checks against `T`. */
export interface TypedWithLock<T> {
  <Key extends string>(
    key: Fitting<Key, T> | readonly Fitting<Key, T>[],
    options?: WithLockOptions,
  ): LockDecorator<Key>;
}

/** The key, or a text that says what is wrong with it. */
type Fitting<Key extends string, T> = Key extends unknown
  ? [KeyMistake<Key, T>] extends [never]
    ? Key
    : KeyMistake<Key, T>
  : never;

/** The words that a part can begin with, other than the arguments of the method. */
type RequestRoot = 'body' | 'params' | 'query' | 'headers' | 'user' | 'data' | 'parent';

/** What is wrong with a key for requests of the type `T`, as a text that the compiler prints; `never` if nothing is. */
export type KeyMistake<Key extends string, T> = PartMistake<PartsOf<Key>, RequestShape<T>>;

/** The same for a key whose parts are checked only if they are read from the arguments of a method. */
export type ArgumentMistake<Key extends string, Args> = PathMistake<ArgumentPath<PathOf<PartsOf<Key>>>, Args>;

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
