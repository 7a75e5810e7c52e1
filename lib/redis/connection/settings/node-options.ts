import { Redis, type RedisOptions } from 'ioredis';
import { isDeepStrictEqual } from 'node:util';
import { FLAG, invalidValue, ms, readTexts, type Rule } from '../../../engine/options.js';
import { OWN_SETTINGS } from './connection-settings.js';
import type { CredentialsFunction } from './credentials.js';
import { isTls, kindOf, misplacedInTls, plainTls } from './option-values.js';
import { mistake } from '../../../engine/codes.js';

const oneOf = (values: readonly unknown[], bound: string): Rule => [(value) => values.includes(value), bound];
const wholeNumber = (least: number, most: number, bound: string): Rule => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  bound,
];
const PORT = wholeNumber(1, 65_535, 'a whole number from 1 to 65535');

const SENTINEL_PORT = 26_379;

/** All options of ioredis that a node may have, with the rules of their values: Node.js and Redis throw for another value where nobody catches it. */
const RULES = {
  host: undefined,
  port: PORT,
  path: undefined,
  family: oneOf([0, 4, 6], '4, 6, or 0 for both'),
  db: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'the number of a database, a whole number from 0'),
  username: undefined,
  password: undefined,
  tls: undefined,
  protocol: oneOf([2, 3], '2 or 3'),
  connectionName: undefined,
  connectTimeout: ms(0),
  disconnectTimeout: ms(0),
  keepAlive: ms(0),
  noDelay: FLAG,
  clientInfoTag: undefined,
  disableClientInfo: FLAG,
  showFriendlyErrorStack: FLAG,
  sentinels: undefined,
  name: undefined,
  sentinelUsername: undefined,
  sentinelPassword: undefined,
  sentinelTLS: undefined,
  enableTLSForSentinelMode: FLAG,
  updateSentinels: FLAG,
  natMap: undefined,
} as const satisfies { readonly [name in keyof RedisOptions]?: Rule | undefined };

/** The ioredis options that a node can have. */
export type NodeOptions = Pick<RedisOptions, keyof typeof RULES> & {
  /**
   * Returns user, password and TLS options. The pool calls the function before each connection, for IAM and rotated passwords. Use it instead of
   * `username` and `password`.
   */
  credentials?: CredentialsFunction | undefined;
};

const CREDENTIALS = 'credentials';
const NAMES: readonly string[] = [...Object.keys(RULES), CREDENTIALS];

/** What to do about options that a node does not take, beyond removing them. */
const INSTEAD: Readonly<Record<string, string>> = {
  commandTimeout: 'set nodeTimeout of the module',
  socketTimeout: 'set nodeTimeout of the module',
  keyPrefix: 'set keyPrefix of the module',
  readOnly: 'a lock needs the master',
  role: 'a lock needs the master',
  Connector: 'name the host and port that it connects to',
  url: 'write the URL in the place of this object',
  uri: 'write the URL in the place of this object',
  connection: 'write what it holds in the place of this object',
};

/**
 * Returns the options of a node as a plain object. An option that is undefined or null, or that has the value by default of ioredis or of this
 * library, counts as not set. Texts of an environment are read as numbers and flags.
 * @throws TypeError, RangeError that name all options that are wrong
 */
export function readNodeOptions(options: object, where: string): NodeOptions {
  const given = givenIn(options);
  const taken = Object.fromEntries(given.filter(([name]) => NAMES.includes(name)));
  const read: NodeOptions = readTexts<NodeOptions>(taken, RULES);
  const refused = given.map(([name]) => name).filter((name) => !NAMES.includes(name));
  throwAny([...refusalOf(refused, where), ...problemsIn(read, where)]);
  return read.sentinels === undefined ? read : atSentinels(read);
}

/** Throws the only error, or one with the messages of all. */
export function throwAny(errors: readonly Error[]): void {
  const [only, ...others] = errors;
  if (others.length > 0)
    throw Object.assign(new TypeError(errors.map(({ message }) => message).join('\n')), { code: 'REDLOCK_E01' });
  if (only) throw only;
}

/** Reads also by name, because the options may be an object of a class, whose getters are no properties of its own, and which spreads drop. */
function givenIn(options: object): [name: string, value: unknown][] {
  const defaults = { ...new Redis({ lazyConnect: true }).options, lazyConnect: false };
  const names = new Set([...Object.keys(options), ...NAMES, ...Object.keys({ ...defaults, ...INSTEAD })]);
  const all = [...names].map((name): [string, unknown] => [name, plain(name, options[name as keyof typeof options])]);
  return all.filter(([name, value]) => isSet(value, name as keyof RedisOptions, defaults));
}

function plain(name: string, value: unknown): unknown {
  return name === 'tls' ? plainTls(value) : value;
}

/** If the default of ioredis is a function, any function is ignored: it differs between versions, and sets only reconnect times. */
function isSet(value: unknown, name: keyof RedisOptions, defaults: RedisOptions): boolean {
  const usual = defaults[name];
  if (value === undefined || (value === null && usual === null)) return false;
  if (NAMES.includes(name)) return true;
  const isOwn = Object.hasOwn(OWN_SETTINGS, name) && OWN_SETTINGS[name] === value;
  return !isOwn && !isDeepStrictEqual(value, usual) && !(typeof value === 'function' && typeof usual === 'function');
}

function* refusalOf(refused: readonly string[], where: string): Iterable<Error> {
  if (refused.length === 0) return;
  const advised = refused.map((name) => (Object.hasOwn(INSTEAD, name) ? `${name} (${INSTEAD[name]})` : name));
  yield mistake(
    'REDLOCK_E01',
    `${where}: remove ${advised.join(', ')}; a node takes only ${NAMES.join(', ')}, and nestjs-redlock sets all other options of the connection itself`,
  );
}

/** Values are shown only for numbers and flags: all others may hold a password. */
function* problemsIn(options: NodeOptions, where: string): Iterable<Error> {
  yield* options.sentinels === undefined ? placeProblems(options, where) : sentinelProblems(options, where);
  for (const [name, rule] of Object.entries(RULES)) {
    const value = options[name as keyof typeof RULES];
    if (rule && value !== undefined && !rule[0](value)) yield invalidValue(`${where}.${name}`, value, rule[1]);
  }
  yield* tlsProblems(options.tls, where);
  yield* loginProblems(options, where);
}

function* placeProblems({ host, path, name }: NodeOptions, where: string): Iterable<Error> {
  if (name !== undefined)
    yield mistake(
      'REDLOCK_E01',
      `${where}.name is the name of a master of Sentinel: give sentinels, too, or remove the name`,
    );
  if (host === undefined && path === undefined)
    yield mistake('REDLOCK_E01', `${where} has no host: name the host of the node, or the path of its socket`);
  yield* textProblems([`${where}.host`, host], [/[@/]/, 'a name or address']);
  yield* textProblems([`${where}.path`, path], [/:\/\//, 'the path of a socket']);
}

function* textProblems(
  [name, value]: readonly [string, unknown],
  [foreign, bound]: readonly [RegExp, string],
): Iterable<Error> {
  if (value === undefined) return;
  if (typeof value !== 'string' || value === '')
    yield mistake('REDLOCK_E01', `${name} must be ${bound}; got ${kindOf(value)}`);
  else if (foreign.test(value))
    yield mistake(
      'REDLOCK_E01',
      `${name} must be ${bound}; got what looks like a URL: give that as the node itself, as a text`,
    );
}

function* sentinelProblems({ sentinels, name }: NodeOptions, where: string): Iterable<Error> {
  if (typeof name !== 'string' || name === '')
    yield mistake(
      'REDLOCK_E01',
      `${where}.name must be the name that the Sentinels have for the master; got ${kindOf(name)}`,
    );
  const list: readonly unknown[] = Array.isArray(sentinels) ? sentinels : [];
  if (list.length === 0 || !list.every(isSentinel))
    yield mistake('REDLOCK_E01', `${where}.sentinels must be a list of at least one { host, port }`);
}

function isSentinel(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'host' in value &&
    typeof value.host === 'string' &&
    PORT[0](toPort(value))
  );
}

function toPort(sentinel: object): number {
  return 'port' in sentinel ? Number(sentinel.port ?? SENTINEL_PORT) : SENTINEL_PORT;
}

/** Returns the options of a master that its Sentinels name, so that no address of its own counts. */
function atSentinels({ host: _host, port: _port, path: _path, sentinels, ...others }: NodeOptions): NodeOptions {
  return { ...others, sentinels: sentinels!.map((sentinel) => ({ ...sentinel, port: toPort(sentinel) })) };
}

function* tlsProblems(tls: unknown, where: string): Iterable<Error> {
  if (!isTls(tls))
    yield mistake('REDLOCK_E01', `${where}.tls must be an object of options of TLS, true or false; got ${kindOf(tls)}`);
  const misplaced = misplacedInTls(tls);
  if (misplaced !== undefined)
    yield mistake(
      'REDLOCK_E01',
      `${where}.tls.${misplaced} is refused: write the place of the node into ${where} itself`,
    );
}

function* loginProblems({ credentials, username, password }: NodeOptions, where: string): Iterable<Error> {
  if (credentials === undefined) return;
  if (typeof credentials !== 'function')
    yield mistake(
      'REDLOCK_E01',
      `${where}.${CREDENTIALS} must be a function that returns them; got ${typeof credentials}`,
    );
  if (username !== undefined || password !== undefined)
    yield mistake(
      'REDLOCK_E01',
      `${where}.${CREDENTIALS} is refused beside username and password: leave out username and password`,
    );
}
