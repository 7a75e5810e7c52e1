import { isIP, isIPv6 } from 'node:net';
import { type NodeOptions, readNodeOptions, throwAny } from './node-options.js';
import { mistake } from '../../../engine/codes.js';

/** The location of a node, and how to log in to it. */
export interface NodeAddress {
  /** For errors and logs; holds no password. */
  readonly name: string;
  /** A text that is equal for two addresses of one server, as far as addresses can tell. */
  readonly identity: string;
  readonly options: NodeOptions;
  /** Whether it was written as a URL, so that advice is given in the form that the user wrote. */
  readonly isUrl?: boolean;
  /** The `keyPrefix` of the client that the options come from, which locks do not have. */
  readonly clientPrefix?: string | undefined;
}

/**
 * Reads the addresses of all nodes.
 * @throws TypeError, RangeError for malformed addresses, all of them in one error, and for two that lead to one server, which would vote twice
 */
export function toAddresses(nodes: readonly (string | NodeOptions | IoredisClient)[] | undefined): NodeAddress[] {
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw mistake(
      'REDLOCK_E01',
      'nodes must be an array of at least one address, such as ["redis://10.0.0.1:6379"]. For a list in one variable of the environment, write value.split(",")',
    );
  }
  const errors: Error[] = [];
  const addresses = nodes.flatMap((node: unknown, index) => {
    try {
      return [typeof node === 'string' ? fromUrl(node, index) : fromObject(node, `nodes[${index}]`)];
    } catch (error) {
      errors.push(error as Error);
      return [];
    }
  });
  throwAny(errors);
  addresses.forEach((address, index) => refuseSameServer(address, addresses.slice(0, index)));
  refuseSentinelAmongOthers(addresses);
  return addresses;
}

function refuseSentinelAmongOthers(addresses: readonly NodeAddress[]): void {
  const index = addresses.findIndex(({ options }) => options.sentinels);
  if (index < 0 || addresses.length === 1) return;
  throw mistake(
    'REDLOCK_E01',
    `nodes[${index}] is a master of Sentinel, which may be the only node: a failover forgets locks. Name masters without replicas instead, each by its URL`,
  );
}

function refuseSameServer(address: NodeAddress, earlier: readonly NodeAddress[]): void {
  const sameServer = earlier.find(({ identity }) => identity === address.identity);
  if (!sameServer) return;
  throw mistake(
    'REDLOCK_E02',
    `nodes holds ${sameServer.name} and ${address.name}: one server must not vote twice, name each node once`,
  );
}

function fromUrl(text: string, index: number): NodeAddress {
  const url = parse(text, index);
  const db = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(db)) throw malformed(index, 'its path is not a database number');
  if (url.search) throw malformed(index, 'settings do not go into the URL; use an object of ioredis options');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const options = {
    host,
    port: Number(url.port || 6379),
    db: Number(db),
    ...credentialsOf(url, () => malformed(index, 'its user or password is not percent-encoded')),
    // TLS has no server names for IP addresses.
    ...(url.protocol === 'rediss:' && { tls: isIP(host) ? {} : { servername: host } }),
  };
  return { ...addressOf(readNodeOptions(options, `nodes[${index}]`)), isUrl: true };
}

function credentialsOf(url: URL, refusal: () => TypeError): Pick<NodeOptions, 'username' | 'password'> {
  try {
    return {
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: decodeURIComponent(url.password) }),
    };
  } catch {
    throw refusal();
  }
}

function parse(text: string, index: number): URL {
  refuseHash(text, index);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw malformed(index, 'it is not a URL');
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    throw malformed(index, 'it does not begin with redis:// or rediss://');
  if (!url.hostname) throw malformed(index, 'it names no host');
  return url;
}

function fromObject(node: unknown, where: string): NodeAddress {
  if (typeof node !== 'object' || node === null)
    throw mistake('REDLOCK_E01', `${where} must be a URL, an object of ioredis options, or a client of ioredis`);
  if (!isIoredisClient(node, where)) return addressOf(readNodeOptions(node, where));
  const { keyPrefix } = node.options as { keyPrefix?: string };
  return { ...addressOf(readNodeOptions(optionsOfClient(node), where)), clientPrefix: keyPrefix || undefined };
}

function addressOf(options: NodeOptions): NodeAddress {
  const { host = '', port = 6379, db = 0, path, tls, sentinels, name } = options;
  const [sentinel] = sentinels ?? [];
  const identity = sentinel
    ? `${place(sentinel.host!, sentinel.port!)}/${name}`
    : (path ?? place(host.toLowerCase(), port));
  const scheme = sentinel ? 'redis-sentinel' : tls ? 'rediss' : 'redis';
  return { identity, name: `${scheme}://${identity}${db ? `/${db}` : ''}`, options };
}

function place(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function refuseHash(text: string, index: number): void {
  if (text.includes('#')) throw malformed(index, 'it has a "#": in a user or password, write %23 instead');
}

/** The text is not shown, because any part of it may be one of a password: a list may have been split at a comma of the password. */
function malformed(index: number, why: string): TypeError {
  return mistake('REDLOCK_E01', `nodes[${index}] is malformed, ${why}; write redis://user:password@host:6379/0`);
}

/** A client of ioredis, of any version and copy. A node copies the address and login of the client, and leaves the client itself alone. */
export interface IoredisClient {
  /** The options of the client. The pool copies the connection options. */
  readonly options: object;
  /** The state of the connection. */
  readonly status: string;
  /** The method by which the pool recognizes a client. */
  duplicate(...args: never[]): unknown;
}

/** The options that say where the node of a client is and how to log in, and those by which a client asks for another server. */
const TAKEN = [
  'host',
  'port',
  'path',
  'family',
  'db',
  'username',
  'password',
  'tls',
  'protocol',
  'sentinels',
  'name',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
  'enableTLSForSentinelMode',
  'updateSentinels',
  'natMap',
  'role',
  'readOnly',
  'Connector',
];

const CLUSTER =
  'a client of Redis Cluster, where a failover forgets locks: name masters outside of the cluster, each by its URL; one is enough to begin with';
const NODE_REDIS = 'a client of node-redis: give its URL instead, or a client of ioredis';

/** What no node can be made of, by a property that nothing else has; the first one counts. */
const OTHERS: readonly (readonly [property: string, what: string])[] = [
  ['then', 'a promise: await it, for example in useFactory of forRootAsync'],
  ['href', 'an object of URL: give its text, which is its href'],
  ['nodeClient', CLUSTER],
  ['getSentinelNode', 'a Sentinel client of node-redis: give { sentinels: [{ host, port }], name } instead'],
  ['sendCommand', NODE_REDIS],
  ['send_command', NODE_REDIS],
  ['on', 'a connection of another library: give the URL of its node instead, or its client of ioredis'],
];

/**
 * Returns whether something has the shape of a client of ioredis.
 * @throws TypeError for clients and connections that no node can be made of
 */
export function isIoredisClient(node: object, where: string): node is IoredisClient {
  const { options, status, duplicate, isCluster } = node as Partial<IoredisClient> & { isCluster?: unknown };
  const other = isCluster === true ? CLUSTER : OTHERS.find(([property]) => property in node)?.[1];
  const isClient = typeof options === 'object' && typeof status === 'string' && typeof duplicate === 'function';
  if (other === undefined || (isClient && other !== CLUSTER)) return isClient;
  throw mistake('REDLOCK_E01', `${where} is ${other}`);
}

/** Returns those options of a client that a node is made of; the others are for its own connection. */
export function optionsOfClient({ options }: IoredisClient): object {
  return Object.fromEntries(TAKEN.map((name) => [name, options[name as keyof typeof options]]));
}
