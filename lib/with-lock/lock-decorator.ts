import type { ArgumentMisfit } from './key/key-misfit.js';
import type { KeySlipOf } from './key/key-slip.js';
import type { LockKey } from './key/lock-key.js';

/** A decorator for methods whose parameters have what the key reads from them; the compiler refuses all other methods. */
export interface LockDecorator<Key extends LockKey> {
  <Args extends readonly unknown[]>(
    target: object,
    name: string | symbol,
    descriptor: { readonly value?: (...args: Args) => unknown },
  ): Verdict<MethodMisfit<Key, Args>>;

  /** Never called. With two signatures TypeScript checks less, so that `applyDecorators` takes this decorator. */
  (...uncalled: [never, never, never]): void;
}

/**
 * Nothing, or a type that no decorator may return, whose property names the compiler prints. A mapped type: if its names are not known yet,
 * as with a type parameter of the class, it has no properties.
 */
type Verdict<Misfit extends string> = void | { readonly [Why in Misfit]: never };

type MethodMisfit<Key extends LockKey, Args> = [LockKey] extends [Key]
  ? never
  : Key extends string
    ? ArgumentMisfit<Key, Args> | KeySlipOf<Key>
    : Key extends readonly (infer Template extends string)[]
      ? ArgumentMisfit<Template, Args> | KeySlipOf<Template>
      : Key extends (...args: infer KeyArgs) => unknown
        ? FunctionMisfit<KeyArgs, Args>
        : never;

type FunctionMisfit<KeyArgs extends readonly unknown[], Args> = [Args] extends [AtLeast<KeyArgs>]
  ? never
  : 'the key function takes other arguments than the method';

/** A method may have more parameters than its key function. */
type AtLeast<Args extends readonly unknown[]> = number extends Args['length'] ? Args : readonly [...Args, ...unknown[]];
