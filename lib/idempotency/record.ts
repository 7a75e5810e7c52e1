import type { Encryption } from './encryption.js';

/** The headers of a reply. A name may be there several times. */
export type KeptHeaders = readonly (readonly [name: string, value: string])[];

/** What an attempt ended with, and the span of its call if that was traced. */
export type Outcome = { readonly traceparent?: string | undefined } & (
  | {
      readonly kind: 'reply';
      /** What has encoded the body. Nothing else decodes it. */
      readonly by: 'http' | 'value' | 'codec';
      /** The HTTP status; undefined outside HTTP. */
      readonly status?: number | undefined;
      readonly headers?: KeptHeaders | undefined;
      /** A JSON value; undefined for no value. */
      readonly body: unknown;
    }
  /** An `HttpException`. */
  | { readonly kind: 'error'; readonly status: number; readonly response: unknown }
  /** The attempt has ended, and its reply cannot be given again. */
  | { readonly kind: 'tombstone'; readonly why: TombstoneReason; readonly headers?: KeptHeaders | undefined }
);

/** `size`: larger than `maxBytes`; `stream`: a stream or a file; `early`: the client was answered before the value was known; `full`: the store is full; `value`: no codec can carry it. */
export type TombstoneReason = 'size' | 'stream' | 'early' | 'full' | 'value';

/** Another codec has kept the reply: that of an older release, or of another kind of caller. */
export class OtherCodecError extends TypeError {
  constructor() {
    super('the reply was kept by another codec');
  }
}

/** A record of another version is unreadable, and never counts as absent. */
const VERSION = 1;

/** `o`: the outcome; `s`: its sealed text. */
type Sealed = { readonly v: typeof VERSION; readonly o?: Outcome; readonly s?: string };

/** Returns what is kept of an outcome: a tombstone if it is too large, or if no JSON can carry it. */
export function keepable(outcome: Outcome, maxBytes: number): Outcome {
  if (outcome.kind === 'tombstone') return outcome;
  const headers = outcome.kind === 'reply' ? outcome.headers : undefined;
  const text = jsonOf(outcome);
  if (text === undefined) return { kind: 'tombstone', why: 'value', headers };
  return Buffer.byteLength(text) > maxBytes ? { kind: 'tombstone', why: 'size', headers } : outcome;
}

/** Returns the text that a store keeps under `key`. */
export function toRecord(outcome: Outcome, key: string, encrypt: Encryption | undefined): string {
  const content = encrypt ? { s: encrypt.seal(JSON.stringify(outcome), key) } : { o: outcome };
  return JSON.stringify({ v: VERSION, ...content } satisfies Sealed);
}

/** @throws Error for a record of another version, sealed by an unknown key, or damaged */
export function readRecord(record: string, key: string, encrypt: Encryption | undefined): Outcome {
  const { v, o, s } = (JSON.parse(record) ?? {}) as Partial<Sealed>;
  if (v !== VERSION) throw new TypeError(`a record of version ${String(v)}`);
  if (s === undefined && encrypt !== undefined) throw new TypeError('a record that is not sealed');
  if (s !== undefined && encrypt === undefined) throw new TypeError('the record is sealed, and `encrypt` is not set');
  const outcome = s === undefined ? o : (JSON.parse(encrypt!.open(s, key)) as Outcome);
  if (!['reply', 'error', 'tombstone'].includes(outcome?.kind as string)) throw new TypeError('no outcome');
  return outcome!;
}

/** Returns undefined for what no JSON can carry. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
