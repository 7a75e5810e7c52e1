import type { Subscribable } from 'rxjs';
import type { ArgumentMistake } from './key/key-check.types.js';
import type { LockKey } from './key/lock-key.js';

/**
 * What `@WithLock` returns: a decorator for methods that return a Promise or an Observable, and whose parameters have what the key reads. The
 * compiler rejects other methods.
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
