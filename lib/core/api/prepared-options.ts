import type { AbortSignalLike } from '../time/abort.js';
import { ABORT, type CallOptions } from './call-options.js';
import { checkLockOptions, resolveLockOptions, type LockOptions, type ResolvedLockOptions } from './options.js';

/** All options by name; none of them can be left out. */
type AllOptions = { readonly [Name in keyof Required<ResolvedLockOptions>]: ResolvedLockOptions[Name] };

/** Checks the options of each call and merges them with the options that hold where the call says nothing. */
export class PreparedOptions {
  /** The options of the latest call and their result: the next call usually has the same options. */
  #latest: { readonly options: LockOptions; readonly resolved: ResolvedLockOptions } | undefined;
  /** The results of options that many calls share. */
  readonly #known = new WeakMap<LockOptions, ResolvedLockOptions>();

  constructor(
    readonly base: ResolvedLockOptions,
    private readonly maxTtl: number,
  ) {}

  /**
   * Returns the complete options of a call.
   * @throws TypeError, RangeError for wrong options
   */
  resolve(options: LockOptions | CallOptions | undefined): ResolvedLockOptions {
    if (options === undefined) return this.base;
    if (isOfCall(options)) return withQuit(this.#shared(options.shared), options[ABORT]);
    if (this.#latest && isObject(options) && areSame(this.#latest.options, options)) return this.#latest.resolved;
    checkLockOptions(options, 'lock options');
    const resolved = resolveLockOptions(this.base, options, this.maxTtl);
    // Options with a signal are not kept: the signal belongs to one call, and may keep much memory alive.
    if (options.signal === undefined) this.#latest = { options: { ...options }, resolved };
    return resolved;
  }

  #shared(options: LockOptions): ResolvedLockOptions {
    const known = this.#known.get(options);
    if (known) return known;
    const resolved = this.resolve(options);
    this.#known.set(options, resolved);
    return resolved;
  }
}

function isOfCall(options: unknown): options is CallOptions {
  return isObject(options) && ABORT in options;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether both have the same values under the same names. `for in` is faster than to build a list of names with every call. */
function areSame(known: LockOptions, given: LockOptions): boolean {
  for (const name in known) {
    if (!Object.hasOwn(given, name) || known[name as keyof LockOptions] !== given[name as keyof LockOptions])
      return false;
  }
  for (const name in given) if (!Object.hasOwn(known, name)) return false;
  return true;
}

/** Returns the options with another signal. They are copied one by one: this runs with every call, and `...` takes fifty times as long. */
function withQuit(options: ResolvedLockOptions, signal: AbortSignalLike): AllOptions {
  return {
    ttl: options.ttl,
    waitTimeout: options.waitTimeout,
    retryCount: options.retryCount,
    retryDelay: options.retryDelay,
    retryJitter: options.retryJitter,
    driftFactor: options.driftFactor,
    autoExtend: options.autoExtend,
    maxHold: options.maxHold,
    minHold: options.minHold,
    reentrant: options.reentrant,
    signal,
  };
}
