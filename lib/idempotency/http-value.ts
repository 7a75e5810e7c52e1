import { StreamableFile } from '@nestjs/common';
import type { TombstoneReason } from './outcome.js';
import { jsonOf } from './record.js';

/** How a value is kept: what it is, and its text or JSON. */
type KeptValue = readonly [kind: 'json' | 'text' | 'buffer' | 'bytes', content: unknown];

/** Returns what stands for a value; undefined for no value. @returns why not, if it cannot be kept */
export function encodeValue(
  value: unknown,
): { readonly body: KeptValue | undefined } | { readonly why: TombstoneReason } {
  if (value === undefined) return { body: undefined };
  if (typeof value === 'string') return { body: ['text', value] };
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return { body: [Buffer.isBuffer(value) ? 'buffer' : 'bytes', bytes] };
  }
  if (isStream(value)) return { why: 'stream' };
  const text = jsonOf(value);
  return text === undefined ? { why: 'value' } : { body: ['json', JSON.parse(text)] };
}

export function decodeValue(body: unknown): unknown {
  if (body === undefined) return undefined;
  const [kind, content] = body as KeptValue;
  if (kind === 'buffer') return Buffer.from(content as string, 'base64');
  return kind === 'bytes' ? new Uint8Array(Buffer.from(content as string, 'base64')) : content;
}

/** Recognises what can be read only once. */
function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof StreamableFile || value instanceof Response) return true;
  const { pipe, getReader, getStream } = value as Record<string, unknown>;
  return [pipe, getReader, getStream].some((member) => typeof member === 'function') || Symbol.asyncIterator in value;
}
