import type { AbortSignalLike } from './abort.js';
import { LONGEST_TIMER } from './clock.js';
import type { SharedCall } from './shared-call.js';
import {
  checkLockOptions,
  DEFAULT_LOCK_OPTIONS,
  misfit,
  toTtl,
  type LockOptions,
  type PreparedOptions,
} from './options.js';

/** Returns the default options of a pool that allows leases of `maxTtl` ms at most. */
export function defaultsWithin(maxTtl: number): PreparedOptions {
  return { ...DEFAULT_LOCK_OPTIONS, ttl: Math.min(DEFAULT_LOCK_OPTIONS.ttl, maxTtl) };
}

/** Returns `base` with the checked options on top; throws a RangeError for a ttl that is too short, and for values above `maxTtl`. */
export function prepareOptions(base: PreparedOptions, options: LockOptions, maxTtl = LONGEST_TIMER): PreparedOptions {
  const prepared: PreparedOptions = { ...base };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) (prepared as unknown as Record<string, unknown>)[name] = value;
  }
  prepared.ttl = toTtl(prepared.ttl, { driftFactor: prepared.driftFactor, maxTtl });
  const { minHold } = prepared;
  if (minHold === undefined) return prepared;
  if (minHold > maxTtl) throw misfit('minHold', minHold, `at most maxTtl, ${maxTtl} ms; set maxTtl, on all clients`);
  // So that `minHold` is kept even if the holder crashes, or nodes cannot be reached at the release.
  prepared.ttl = Math.max(prepared.ttl, Math.ceil(minHold));
  return prepared;
}

/** Prepares the options of calls: checks them, and adds the options that hold where a call says nothing. */
export class OptionPreparer {
  /** The options of the latest call and their result: the next call usually has the same options. */
  #latest: { readonly options: LockOptions; readonly prepared: PreparedOptions } | undefined;
  /** The results for options that many calls share. */
  readonly #shared = new WeakMap<LockOptions, PreparedOptions>();

  constructor(
    readonly base: PreparedOptions,
    private readonly maxTtl: number,
  ) {}

  /** @throws TypeError, RangeError for wrong options */
  prepare(options: LockOptions | undefined): PreparedOptions {
    if (options === undefined) return this.base;
    if (this.#latest && isObject(options) && areSame(this.#latest.options, options)) return this.#latest.prepared;
    checkLockOptions(options, 'lock options');
    const prepared = prepareOptions(this.base, options, this.maxTtl);
    // Options with a signal are not kept: the signal belongs to one call, and may keep much memory alive.
    if (options.signal === undefined) this.#latest = { options: { ...options }, prepared };
    return prepared;
  }

  /**
   * Prepares options that many calls share, and that must not change any more, once for all of these calls.
   * @param signal of this call, in place of the signal of the options
   */
  prepareShared(
    options: LockOptions,
    { signal, skips }: Pick<SharedCall<unknown>, 'signal' | 'skips'>,
  ): PreparedOptions {
    let prepared = this.#shared.get(options);
    if (!prepared) this.#shared.set(options, (prepared = { ...this.prepare(options), skips }));
    return signal ? withSignal(prepared, signal) : prepared;
  }
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
function withSignal(options: PreparedOptions, signal: AbortSignalLike): PreparedOptions {
  return {
    ttl: options.ttl,
    waitTimeout: options.waitTimeout,
    quorumTimeout: options.quorumTimeout,
    retryCount: options.retryCount,
    retryDelay: options.retryDelay,
    retryJitter: options.retryJitter,
    driftFactor: options.driftFactor,
    autoExtend: options.autoExtend,
    maxHold: options.maxHold,
    minHold: options.minHold,
    reentrant: options.reentrant,
    label: options.label,
    skips: options.skips,
    signal,
    // None of them may be left out.
  } satisfies Record<keyof Required<PreparedOptions>, unknown>;
}
