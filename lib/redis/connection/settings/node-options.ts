import type { RedisOptions } from 'ioredis';
import { OWN_SETTINGS } from './connection-settings.js';
import type { CredentialsFunction } from './credentials.js';
import { checkNodeValues } from './node-values.js';
import { plainTls } from './tls-option.js';

/** The options of ioredis that a node may have. */
const ALLOWED = [
  'host',
  'port',
  'path',
  'family',
  'db',
  'username',
  'password',
  'tls',
  'protocol',
  'connectionName',
  'connectTimeout',
  'disconnectTimeout',
  'keepAlive',
  'noDelay',
  'clientInfoTag',
  'disableClientInfo',
  'showFriendlyErrorStack',
] as const satisfies readonly (keyof RedisOptions)[];

/** The options that describe a node where it is not given as a URL. */
export type NodeOptions = Pick<RedisOptions, (typeof ALLOWED)[number]> & {
  /**
   * Returns user and password, and options of TLS where these change, too; called before each connection, for IAM and for passwords that are
   * rotated. It takes the place of `username` and `password`.
   */
  credentials?: CredentialsFunction | undefined;
};

const CREDENTIALS = 'credentials';
const TWO_LOGINS = 'it says already how to log in; leave out username and password';

type RefusedOption = Exclude<keyof RedisOptions, (typeof ALLOWED)[number]>;

const GIVES_UP =
  'what the client gives up the node may do all the same, and two could hold one lock; ' +
  'nodeTimeout of the module says how long a node may take to answer';
const SENDS_LATER =
  'a command that is kept and sent later could take a lock again that was given back; ' +
  'what a node missed is asked for again by itself';
const CONNECTS = 'a pool connects, and connects again, by itself';
const ONE_MASTER = 'a node is one master that stays where it is; name its host and port';
const ANSWERS = 'the answers of nodes are read as Redis sends them';
const BATCHES = 'what is asked in one turn goes out as one script call already';
const NO_BLOCKING = 'a pool sends no commands that block; nodeTimeout says how long a node may take to answer';
const LOCKS_ONLY = 'the connection is for locks only; use a client of your own';

/**
 * Why each of the other options is refused: it endangers locks, or would have no effect. A new option of ioredis is a compile error until it
 * is in one of the two lists.
 */
const REFUSED: Readonly<Record<RefusedOption, string>> = {
  commandTimeout: GIVES_UP,
  socketTimeout: GIVES_UP,
  blockingTimeout: NO_BLOCKING,
  blockingTimeoutGrace: NO_BLOCKING,
  enableOfflineQueue: SENDS_LATER,
  offlineQueue: SENDS_LATER,
  commandQueue: SENDS_LATER,
  autoResendUnfulfilledCommands: SENDS_LATER,
  maxRetriesPerRequest: SENDS_LATER,
  reconnectOnError: SENDS_LATER,
  retryStrategy: CONNECTS,
  lazyConnect: CONNECTS,
  autoResubscribe: CONNECTS,
  enableReadyCheck: 'a node that is still loading says so, and does not vote until it is ready',
  maxLoadingRetryTime: 'a node that is still loading says so, and does not vote until it is ready',
  stringNumbers: ANSWERS,
  replyMapping: ANSWERS,
  enableAutoPipelining: BATCHES,
  autoPipeliningIgnoredCommands: BATCHES,
  monitor: 'a connection that monitors takes no commands',
  scripts: LOCKS_ONLY,
  himportFieldsets: LOCKS_ONLY,
  keyPrefix: 'it is not for single nodes; use the keyPrefix of the module',
  readOnly: 'a replica takes no locks; name independent masters',
  Connector: ONE_MASTER,
  name: ONE_MASTER,
  role: ONE_MASTER,
  sentinels: ONE_MASTER,
  sentinelUsername: ONE_MASTER,
  sentinelPassword: ONE_MASTER,
  sentinelRetryStrategy: ONE_MASTER,
  sentinelReconnectStrategy: ONE_MASTER,
  sentinelCommandTimeout: ONE_MASTER,
  sentinelMaxConnections: ONE_MASTER,
  sentinelTLS: ONE_MASTER,
  enableTLSForSentinelMode: ONE_MASTER,
  preferredSlaves: ONE_MASTER,
  natMap: ONE_MASTER,
  updateSentinels: ONE_MASTER,
  failoverDetector: ONE_MASTER,
};

/**
 * Returns the options of a node as a plain object, without those that are not set. It refuses options that endanger locks, that would have no
 * effect, or that do not exist, and values that do not fit. An option that is undefined, or that has the value that a pool sets anyway,
 * counts as not set.
 * @throws TypeError, RangeError that name the option and the reason
 */
export function readNodeOptions(options: object, where: string): NodeOptions {
  const given = givenIn(options).filter(([name, value]) => value !== undefined && !isOwn(name, value));
  for (const [name] of given) refuseOthers(name, where);
  const read: NodeOptions = Object.fromEntries(given);
  checkCredentials(read, where);
  checkNodeValues(read, where);
  return read;
}

/** Reads also by name, because the options may be an object of a class, whose getters are no properties of its own, and which spreads drop. */
function givenIn(options: object): [name: string, value: unknown][] {
  const names = new Set([...Object.keys(options), ...ALLOWED, CREDENTIALS, ...Object.keys(REFUSED)]);
  return [...names].map((name) => [name, plain(name, options[name as keyof typeof options])]);
}

/** Returns a value as this library takes it: ioredis takes databases also as texts, as they come from the environment. */
function plain(name: string, value: unknown): unknown {
  if (name === 'tls') return plainTls(value);
  return name === 'db' && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

function refuseOthers(name: string, where: string): void {
  if (isAllowed(name)) return;
  const why = Object.hasOwn(REFUSED, name) ? REFUSED[name as RefusedOption] : undefined;
  throw new TypeError(why === undefined ? unknownOption(name, where) : `${where}.${name} is refused: ${why}`);
}

function checkCredentials(options: NodeOptions, where: string): void {
  const { credentials, username, password } = options;
  if (credentials === undefined) return;
  // The value is not shown, because it may hold a password.
  if (typeof credentials !== 'function')
    throw new TypeError(`${where}.${CREDENTIALS} must be a function that returns them; got ${typeof credentials}`);
  if (username !== undefined || password !== undefined)
    throw new TypeError(`${where}.${CREDENTIALS} is refused beside username and password: ${TWO_LOGINS}`);
}

function isAllowed(name: string): boolean {
  return name === CREDENTIALS || (ALLOWED as readonly string[]).includes(name);
}

function isOwn(name: string, value: unknown): boolean {
  return Object.hasOwn(OWN_SETTINGS, name) && OWN_SETTINGS[name as keyof RedisOptions] === value;
}

function unknownOption(name: string, where: string): string {
  const hint = /^(url|uri)$/i.test(name) ? '; a URL goes into nodes as it is, not into an object' : '';
  return `${where}: there is no option "${name}"${hint}; there are ${[...ALLOWED, CREDENTIALS].join(', ')}`;
}
