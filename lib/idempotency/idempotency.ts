import type { Codec } from './codec.js';
import { fingerprintOf } from './fingerprint.js';
import { type IdempotencyOptions, settingsOf } from './idempotency.options.js';
import type { OnceCall } from './once-call.js';
import { endedBy } from './ended-by.js';
import { type Ended, OtherCodecError, type Outcome } from './outcome.js';
import type { RecordInfo } from './reply-store.js';
import type { OnceRunner } from './run-once.js';
import { decodedBy, encodedBy } from './value-way.js';

/** What `once` takes beside the options of the module. */
export interface OnceOptions extends IdempotencyOptions {
  /** What makes the call the same call: another one under the same key is refused. @default the key alone */
  fingerprint?: unknown;
  /** What stands for the key in logs and telemetry: a constant text. @default 'once' */
  label?: string;
}

/** What the default codec can carry; `never` for what it cannot carry, such as functions. */
export type Keepable<T> = T extends string | number | bigint | boolean | null | undefined | void | Date | Uint8Array
  ? T
  : T extends symbol | ((...args: never[]) => unknown)
    ? never
    : T extends ReadonlyMap<infer K, infer V>
      ? ReadonlyMap<Keepable<K>, Keepable<V>>
      : T extends ReadonlySet<infer M>
        ? ReadonlySet<Keepable<M>>
        : { [Name in keyof T]: Keepable<T[Name]> };

/** Runs work once for a key, on all replicas: the first call runs it, and all others get what it returned. */
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
   * Runs `work` unless a call for `key` has ended within `keep`, and returns what that one returned. A call that comes while the first is running
   * waits for it. If `work` fails, nothing is kept, and the next call runs.
   * @throws IdempotencyError; what `work` throws; ResourceLockedError is never thrown, QuorumNotReachedError and RedlockClosedError are;
   * TypeError for a value that the codec cannot carry, and for a call for the same key within `work`
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
      throw new TypeError('once takes the key, the work and then the options; the work must be a function');
    const { fingerprint, label = 'once', ...own } = options;
    const settings = settingsOf(this.defaults, own, 'once');
    const codec = own.codec ?? this.defaults.codec;
    const last: { ended?: Value } = {};
    const result = await this.runner.run({
      key,
      label,
      settings,
      fingerprint: fingerprint === undefined ? null : fingerprintOf(fingerprint, key, this.secret),
      work: async (call) => {
        const value = await valueOf(() => work(call), codec, settings.onInterrupted);
        last.ended = value;
        return value.ended;
      },
      outcomeOf: (value) => encodedBy(codec, value),
    });
    if (result.kind === 'own' && last.ended?.mistake !== undefined) throw last.ended.mistake;
    const outcome = result.kind === 'own' ? last.ended!.ended.keep : result.outcome;
    if (result.kind === 'own' && typeof outcome === 'object' && outcome.kind === 'tombstone')
      return last.ended!.value as T;
    try {
      return (await decodedBy(codec, replyOf(outcome))) as T;
    } catch (cause) {
      throw cause instanceof OtherCodecError ? this.runner.unreadable(key, label, cause) : cause;
    }
  }

  /** Tells what is kept for a key, never the reply itself; null if nothing is. */
  async peek(key: string): Promise<RecordInfo | null> {
    return (await this.runner.store.describe(key)) ?? null;
  }

  /** Removes what is kept for a key, so that the next call runs again; false if there was nothing. */
  forget(key: string): Promise<boolean> {
    return this.runner.store.forget(key);
  }
}

/** What the work came to. */
interface Value {
  readonly ended: Ended;
  readonly value?: unknown;
  /** Why the value cannot be carried: the work is done, and its call fails. */
  readonly mistake?: Error;
}

async function valueOf(
  work: () => Promise<unknown>,
  codec: Codec | undefined,
  onInterrupted: 'rerun' | 'refuse',
): Promise<Value> {
  let value: unknown;
  try {
    value = await work();
  } catch (error) {
    return { ended: endedBy(error, { keepsError: () => false, onInterrupted, hasRun: true }) };
  }
  try {
    return { value, ended: { keep: await encodedBy(codec, value) } };
  } catch (cause) {
    const mistake = cause instanceof Error ? cause : new TypeError('The codec failed', { cause });
    return { mistake, ended: { keep: { kind: 'tombstone', why: 'value' } } };
  }
}

/** An `HttpException` that a handler for the same key has ended with is no value. @throws OtherCodecError */
function replyOf(outcome: Ended['keep']): Extract<Outcome, { kind: 'reply' }> {
  if (typeof outcome === 'object' && outcome.kind === 'reply') return outcome;
  throw new OtherCodecError();
}
