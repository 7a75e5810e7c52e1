import { Inject } from '@nestjs/common';
import { mistake } from '../engine/codes.js';
import { endedBy } from './failure.js';
import { fingerprintOf } from './fingerprint.js';
import { type IdempotencyOptions, settingsOf } from './idempotency.options.js';
import type { OnceCall } from './once-call.js';
import { OtherCodecError, type Outcome } from './record.js';
import { decodedBy, encodedBy } from './reply-way.js';
import type { RecordInfo } from './reply-store.js';
import type { OnceRunner } from './run-once.js';
import type { Codec } from './typed-json.js';

/** Returns the provider token of the `Idempotency` of a pool. The token is a string, so that two copies of this package agree. */
export function getIdempotencyToken(name?: string): string {
  return name === undefined ? 'Idempotency' : `Idempotency(${name})`;
}

/** Injects the `Idempotency` of the pool with this name, or of the pool without a name. */
export function InjectIdempotency(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getIdempotencyToken(name));
}

/** The options of `once`. */
export interface OnceOptions extends IdempotencyOptions {
  /** What makes two calls equal. A different value under the same key is rejected. @default none: the key alone */
  fingerprint?: unknown;
  /** Names the call in logs and telemetry. Write a constant text. @default 'once' */
  label?: string;
}

/** A type that the default codec can keep, or `never` for other types, such as functions. */
export type Keepable<T> = T extends string | number | bigint | boolean | null | undefined | void | Date | Uint8Array
  ? T
  : T extends symbol | ((...args: never[]) => unknown)
    ? never
    : T extends ReadonlyMap<infer K, infer V>
      ? ReadonlyMap<Keepable<K>, Keepable<V>>
      : T extends ReadonlySet<infer M>
        ? ReadonlySet<Keepable<M>>
        : { [Name in keyof T]: Keepable<T[Name]> };

/**
 * Runs work once for a key, on all replicas. The first call runs the work, and all other calls get its result. Nest injects the service.
 * @hideconstructor
 */
export class Idempotency {
  #runner: OnceRunner | undefined;

  constructor(
    private readonly make: () => OnceRunner,
    /** @internal The options of the module. */
    readonly defaults: IdempotencyOptions,
    /** @internal */
    readonly secret?: string,
  ) {}

  /** @internal Runs the calls; made when the application starts, because the pool may be made later than this provider. */
  get runner(): OnceRunner {
    return (this.#runner ??= this.make());
  }

  /**
   * Runs `work` once for `key`, and returns the kept result to later calls within `keep`. A call that comes while `work` runs waits for the result.
   * If `work` fails, the next call runs again.
   * @throws IdempotencyError, QuorumNotReachedError, RedlockClosedError; what `work` throws;
   * TypeError for a value that the codec cannot keep, and for a call for the same key within `work`
   * @example
   * ```ts
   * const receipt = await idempotency.once(`charge:${order.id}`, async (call) => charge(order, call.signal));
   * ```
   */
  async once<T>(
    key: string,
    work: (call: OnceCall) => Promise<T & Keepable<T>>,
    options: OnceOptions = {},
  ): Promise<T> {
    if (typeof work !== 'function')
      throw mistake('REDLOCK_E04', 'once takes the key, the work and then the options; the work must be a function');
    const { fingerprint, label = 'once', ...own } = options;
    const settings = settingsOf(this.defaults, own, 'once');
    const codec = own.codec ?? this.defaults.codec;
    let end: End | undefined;
    const result = await this.runner.run({
      key,
      label,
      settings,
      fingerprint: fingerprint === undefined ? null : fingerprintOf(fingerprint, key, this.secret),
      work: async (call) => {
        end = undefined;
        let value: unknown;
        try {
          value = await work(call);
        } catch (error) {
          const ended = endedBy(error, settings.onInterrupted);
          if (!('error' in ended)) end = { keep: ended.keep, failure: error as Error };
          return ended;
        }
        return (end = await endOf(value, codec));
      },
      outcomeOf: (value) => encodedBy(codec, value),
    });
    if (result.kind === 'own' && end?.failure) throw end.failure;
    try {
      return (await decodedBy(codec, result.kind === 'own' ? end!.keep : result.outcome)) as T;
    } catch (cause) {
      throw cause instanceof OtherCodecError ? this.runner.unreadable(key, label, cause) : cause;
    }
  }

  /** Returns what is kept for a key, without the reply. Null if nothing is kept. */
  async peek(key: string): Promise<RecordInfo | null> {
    return (await this.runner.store.describe(key)) ?? null;
  }

  /**
   * Removes what is kept for a key, so that the next call runs again. Returns false if nothing was kept. An attempt that runs meanwhile keeps its reply
   * when it ends.
   */
  forget(key: string): Promise<boolean> {
    return this.runner.store.forget(key);
  }
}

/** What stays of work that is done, and why its call fails all the same. */
interface End {
  readonly keep: Outcome;
  readonly failure?: Error;
}

async function endOf(value: unknown, codec: Codec | undefined): Promise<End> {
  try {
    return { keep: await encodedBy(codec, value) };
  } catch (cause) {
    const failure = cause instanceof Error ? cause : mistake('REDLOCK_E13', 'The codec failed', { cause });
    return { keep: { kind: 'tombstone', why: 'value' }, failure };
  }
}
