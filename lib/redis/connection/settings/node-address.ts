import { isIP, isIPv6 } from 'node:net';
import { readNodeOptions, type NodeOptions } from './node-options.js';

/** The location of a node, and how to log in to it. */
export interface NodeAddress {
  /** For errors and logs; holds no password. */
  readonly name: string;
  /** A text that is equal for two addresses of one server, as far as addresses can tell. */
  readonly identity: string;
  readonly options: NodeOptions;
}

/**
 * Reads the addresses of all nodes.
 * @throws TypeError for a malformed address, and for two that lead to one server, which would vote twice
 */
export function toAddresses(nodes: readonly (string | NodeOptions)[] | undefined): NodeAddress[] {
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw new TypeError(
      'nodes must be an array of at least one address, such as ["redis://10.0.0.1:6379"]; where there is no Redis, set enabled to false',
    );
  }
  const addresses = nodes.map((node, index) =>
    typeof node === 'string' ? fromUrl(node, index) : fromOptions(node, index),
  );
  addresses.forEach((address, index) => refuseSameServer(address, addresses.slice(0, index)));
  return addresses;
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
  return fromOptions(
    {
      host,
      port: Number(url.port || 6379),
      db: Number(db),
      ...credentialsOf(url, () => malformed(index, 'its user or password is not percent-encoded')),
      // TLS has no server names for IP addresses.
      ...(url.protocol === 'rediss:' && { tls: isIP(host) ? {} : { servername: host } }),
    },
    index,
  );
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

function fromOptions(node: NodeOptions, index: number): NodeAddress {
  refuseOthers(node, index);
  const options = readNodeOptions(node, `nodes[${index}]`);
  const { host = '', port = 6379, db = 0, path, tls } = options;
  const identity = path ?? `${isIPv6(host) ? `[${host}]` : host.toLowerCase()}:${port}`;
  return { identity, name: `${tls ? 'rediss' : 'redis'}://${identity}${db ? `/${db}` : ''}`, options };
}

function refuseOthers(node: unknown, index: number): void {
  if (typeof node !== 'object' || node === null)
    throw new TypeError(`nodes[${index}] must be a URL or an object of ioredis options`);
  if (node instanceof URL) throw new TypeError(`nodes[${index}] is an object of URL; give its text, which is its href`);
  if (!('sendCommand' in node)) return;
  throw new TypeError(
    `nodes[${index}] is a live client; give its URL or options, since a lock needs a connection of its own`,
  );
}

function refuseHash(text: string, index: number): void {
  if (text.includes('#')) throw malformed(index, 'it has a "#": in a user or password, write %23 instead');
}

/** The text is not shown, because any part of it may be one of a password: a list may have been split at a comma of the password. */
function malformed(index: number, why: string): TypeError {
  return new TypeError(`nodes[${index}] is malformed, ${why}; write redis://user:password@host:6379/0`);
}
