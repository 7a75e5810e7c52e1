import { isIP, isIPv6 } from 'node:net';
import { isIoredisClient, optionsOfClient, type IoredisClient } from './client-options.js';
import { readNodeOptions, throwAny, type NodeOptions } from './node-options.js';

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
    throw new TypeError(
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
  throw new TypeError(
    `nodes[${index}] is a master of Sentinel, which may be the only node: a failover forgets locks. Name masters without replicas instead, each by its URL`,
  );
}

function refuseSameServer(address: NodeAddress, earlier: readonly NodeAddress[]): void {
  const sameServer = earlier.find(({ identity }) => identity === address.identity);
  if (!sameServer) return;
  throw new TypeError(
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
    throw new TypeError(`${where} must be a URL, an object of ioredis options, or a client of ioredis`);
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
  return new TypeError(`nodes[${index}] is malformed, ${why}; write redis://user:password@host:6379/0`);
}
