import type { RedisOptions } from 'ioredis';
import { misfit, ms, type Rule } from '../../../core/api/options.js';
import { kindOf } from './kind-of.js';
import { isTls, misplacedInTls } from './tls-option.js';

const oneOf = (values: readonly unknown[], bound: string): Rule => [(value) => values.includes(value), bound];

/** What Node.js and Redis take; for another value they throw in a timer or a listener, where nobody catches it. */
const RULES: { readonly [name in keyof RedisOptions]?: Rule } = {
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    'a whole number from 1 to 65535',
  ],
  db: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    'the number of a database, a whole number from 0 (Number(...) makes one of a text)',
  ],
  connectTimeout: ms(0),
  disconnectTimeout: ms(0),
  keepAlive: ms(0),
  family: oneOf([0, 4, 6], '4, 6, or 0 for both'),
  protocol: oneOf([2, 3], '2 or 3, as a number'),
};

/**
 * Checks the values of the options of a node.
 * @throws TypeError, RangeError that name the option and what is allowed
 */
export function checkNodeValues(options: RedisOptions, where: string): void {
  checkPlace(options, where);
  for (const [name, rule] of Object.entries(RULES)) checkValue([`${where}.${name}`, options[name as 'port']], rule);
  checkTls(options.tls, where);
}

function checkValue([name, value]: readonly [string, unknown], [fits, bound]: Rule): void {
  if (value !== undefined && !fits(value)) throw misfit(name, value, bound);
}

function checkTls(tls: unknown, where: string): void {
  if (!isTls(tls))
    throw new TypeError(`${where}.tls must be an object of options of TLS, true or false; got ${kindOf(tls)}`);
  const misplaced = misplacedInTls(tls);
  if (misplaced === undefined) return;
  throw new TypeError(`${where}.tls.${misplaced} is refused: where the node is belongs into ${where} itself`);
}

function checkPlace({ host, path }: RedisOptions, where: string): void {
  if (host === undefined && path === undefined)
    throw new TypeError(`${where} has no host: name the host of the node, or the path of its socket`);
  checkText([`${where}.host`, host], [/[@/]/, 'a name or address']);
  checkText([`${where}.path`, path], [/:\/\//, 'the path of a socket']);
}

/** The value is not shown: in the place of a host there may be a URL, with a password. */
function checkText([name, value]: readonly [string, unknown], [foreign, bound]: readonly [RegExp, string]): void {
  if (value === undefined) return;
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be ${bound}; got ${kindOf(value)}`);
  if (!foreign.test(value)) return;
  throw new TypeError(`${name} must be ${bound}; got what looks like a URL: give that as the node itself, as a text`);
}
