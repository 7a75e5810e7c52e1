import type { Encryption } from './encryption.js';
import type { Outcome } from './outcome.js';

/** The version of what a record looks like. A record of another version is never taken for none. */
const VERSION = 1;

interface Sealed {
  readonly v: typeof VERSION;
  /** The outcome, or its sealed text. */
  readonly o?: Outcome;
  readonly s?: string;
}

/** Returns what is kept of an outcome: a tombstone in place of a reply that is too large, or that no JSON can carry. */
export function keepable(outcome: Outcome, maxBytes: number): Outcome {
  if (outcome.kind === 'tombstone') return outcome;
  const headers = outcome.kind === 'reply' ? outcome.headers : undefined;
  const [text, why] = [jsonOf(outcome), 'value'] as const;
  if (text === undefined) return { kind: 'tombstone', why, headers };
  return Buffer.byteLength(text) > maxBytes ? { kind: 'tombstone', why: 'size', headers } : outcome;
}

/** Returns the text that a store keeps under `key`. */
export function toRecord(outcome: Outcome, key: string, encrypt: Encryption | undefined): string {
  const sealed: Sealed = encrypt
    ? { v: VERSION, s: encrypt.seal(JSON.stringify(outcome), key) }
    : { v: VERSION, o: outcome };
  return JSON.stringify(sealed);
}

/** @throws Error for a record of another version, sealed by an unknown key, or damaged */
export function readRecord(record: string, key: string, encrypt: Encryption | undefined): Outcome {
  const { v, o, s } = (JSON.parse(record) ?? {}) as Partial<Sealed>;
  if (v !== VERSION) throw new TypeError(`a record of version ${String(v)}`);
  if (s === undefined && encrypt !== undefined) throw new TypeError('a record that is not sealed');
  const outcome = s === undefined ? o : (JSON.parse(opened(s, key, encrypt)) as Outcome);
  if (!['reply', 'error', 'tombstone'].includes(outcome?.kind as string)) throw new TypeError('no outcome');
  return outcome!;
}

function opened(text: string, key: string, encrypt: Encryption | undefined): string {
  if (encrypt === undefined) throw new TypeError('the record is sealed, and `encrypt` is not set');
  return encrypt.open(text, key);
}

/** Returns undefined for what no JSON can carry. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
