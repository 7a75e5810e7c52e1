import { CallOptions } from './call-options.js';
import { checkLockOptions, resolveLockOptions, type LockOptions, type ResolvedLockOptions } from './options.js';

/** What the options of a call come to, on top of those that hold where it says nothing. */
export class OptionBook {
  /** Those that many calls share. */
  readonly #known = new WeakMap<LockOptions, ResolvedLockOptions>();

  constructor(
    readonly base: ResolvedLockOptions,
    private readonly maxTtl: number,
  ) {}

  /** @throws TypeError, RangeError for wrong options */
  resolve(options: LockOptions | undefined): ResolvedLockOptions {
    if (options === undefined) return this.base;
    if (options instanceof CallOptions) return { ...this.#shared(options.shared), signal: options.quit };
    checkLockOptions(options, 'lock options');
    return resolveLockOptions(this.base, options, this.maxTtl);
  }

  #shared(options: LockOptions): ResolvedLockOptions {
    const known = this.#known.get(options) ?? this.resolve(options);
    this.#known.set(options, known);
    return known;
  }
}
