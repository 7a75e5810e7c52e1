import type { RedisOptions } from 'ioredis';

const NOT_IN_TLS = ['host', 'port', 'path', 'socket'];

/**
 * Returns options of TLS as an object, or undefined if there is no TLS; a value that is neither is returned as it is. JavaScript and
 * files of settings say also `false` and `null` for "no TLS", and `true` for "TLS as it is by default", and ioredis takes these.
 */
export function plainTls(tls: unknown): unknown {
  if (tls === false || tls === null || tls === 'false') return undefined;
  return tls === true || tls === 'true' ? {} : tls;
}

/** Returns whether a plain value can be the options of TLS. */
export function isTls(tls: unknown): tls is RedisOptions['tls'] {
  return tls === undefined || (typeof tls === 'object' && tls !== null);
}

/** Returns the option in `tls` that says where the node is, and so belongs beside `tls`. */
export function misplacedInTls(tls: unknown): string | undefined {
  return NOT_IN_TLS.find((name) => typeof tls === 'object' && tls !== null && name in tls);
}

/** Says what a value is without showing it, since it may hold a password. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return value === '' ? 'an empty text' : `a value of type ${typeof value}`;
}
