import { mistake } from '../engine/codes.js';

/** Converts values for the store and back. */
export interface Codec {
  /** Returns a JSON value, or a promise of one. */
  encode(value: unknown): unknown;
  /** Returns the value, or a promise of it. */
  decode(json: unknown): unknown;
}

/** How values that JSON does not know are marked: an object with this one property, `[type, content]`. */
const MARK = '$type';

/**
 * JSON that also carries dates, big integers, maps, sets, bytes, undefined and all numbers. An instance of another class is refused, because a replay
 * could not give it back.
 */
export const typedJson: Codec = {
  encode: (value) => encoded(value, 'the value', []),
  decode: (json) => decoded(json),
};

function encoded(value: unknown, path: string, around: readonly object[]): unknown {
  if (value === undefined) return marked('undefined');
  if (typeof value === 'bigint') return marked('bigint', value.toString());
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return marked('number', Object.is(value, -0) ? '-0' : String(value));
  if (typeof value === 'function' || typeof value === 'symbol') throw refused(path, `a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) throw refused(path, 'an object that contains itself');
  return encodedObject(value, path, [...around, value]);
}

function encodedObject(value: object, path: string, around: readonly object[]): unknown {
  const inside = (part: unknown, name: string): unknown => encoded(part, `${path}${name}`, around);
  if (Array.isArray(value)) return Array.from(value as unknown[], (part, index) => inside(part, `[${index}]`));
  if (value instanceof Date) return marked('date', Number.isNaN(value.getTime()) ? null : value.toISOString());
  if (Buffer.isBuffer(value)) return marked('buffer', value.toString('base64'));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Uint8Array.prototype) return marked('bytes', Buffer.from(value as Uint8Array).toString('base64'));
  if (prototype === Map.prototype) return marked('map', inside([...(value as Map<unknown, unknown>)], ' of entries'));
  if (prototype === Set.prototype) return marked('set', inside([...(value as Set<unknown>)], ' of members'));
  if (prototype !== Object.prototype && prototype !== null)
    throw refused(path, `an instance of ${(value.constructor as { name?: string } | undefined)?.name ?? 'a class'}`);
  const plain = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inside(part, `.${name}`)]));
  // An object that looks like a mark is marked itself.
  return Object.hasOwn(plain, MARK) ? marked('object', plain) : plain;
}

function marked(type: string, content?: unknown): object {
  return { [MARK]: content === undefined ? [type] : [type, content] };
}

function refused(path: string, what: string): TypeError {
  return mistake(
    'REDLOCK_E13',
    `${path} is ${what}, which a replay could not restore: return plain data, or give a codec that keeps an id and loads it again`,
  );
}

function decoded(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((part) => decoded(part));
  const mark = (json as Record<string, unknown>)[MARK];
  if (Array.isArray(mark) && Object.keys(json).length === 1) return unmarked(mark[0] as string, mark[1]);
  return decodedObject(json);
}

function decodedObject(json: object): object {
  return Object.fromEntries(Object.entries(json).map(([name, part]) => [name, decoded(part)]));
}

function unmarked(type: string, content: unknown): unknown {
  const text = content as string;
  if (type === 'undefined') return undefined;
  if (type === 'bigint') return BigInt(text);
  if (type === 'number') return Number(text);
  if (type === 'date') return new Date(content === null ? Number.NaN : text);
  if (type === 'buffer') return Buffer.from(text, 'base64');
  if (type === 'bytes') return new Uint8Array(Buffer.from(text, 'base64'));
  if (type === 'map') return new Map(decoded(content) as [unknown, unknown][]);
  if (type === 'set') return new Set(decoded(content) as unknown[]);
  if (type === 'object') return decodedObject(content as object);
  throw new TypeError(`a value of the unknown type "${type}"`);
}
