import { isIP, isIPv6 } from 'node:net';
import { misfit } from '../../../core/api/options.js';
import { checkNodeOptions, type NodeOptions } from './node-options.js';

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
  if (!/^\d*$/.test(db)) throw malformed(index, text, 'its path is not a database number');
  if (url.search) throw malformed(index, text, 'settings do not go into the URL; use an object of ioredis options');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return fromOptions(
    {
      host,
      port: Number(url.port || 6379),
      db: Number(db),
      ...credentialsOf(url, () => malformed(index, text, 'its user or password is not percent-encoded')),
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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw malformed(index, text, 'it is not a URL');
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    throw malformed(index, text, 'it does not begin with redis:// or rediss://');
  if (!url.hostname) throw malformed(index, text, 'it names no host');
  return url;
}

function fromOptions(options: NodeOptions, index: number): NodeAddress {
  checkOptions(options, index);
  const { host = '', port = 6379, db = 0, path, tls } = options;
  const identity = path ?? `${isIPv6(host) ? `[${host}]` : host.toLowerCase()}:${port}`;
  return { identity, name: `${tls ? 'rediss' : 'redis'}://${identity}${db ? `/${db}` : ''}`, options };
}

function checkOptions(options: unknown, index: number): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`nodes[${index}] must be a URL or an object of ioredis options`);
  }
  if ('sendCommand' in options) {
    throw new TypeError(
      `nodes[${index}] is a live client; give its URL or options, since a lock needs a connection of its own`,
    );
  }
  checkNodeOptions(options, `nodes[${index}]`);
  checkPlace(options, `nodes[${index}]`);
}

function checkPlace(options: { host?: unknown; port?: unknown; path?: unknown }, where: string): void {
  const { host, port, path } = options;
  if (host === undefined && path === undefined) {
    throw new TypeError(`${where} has no host: name the host of the node, or the path of its socket`);
  }
  for (const [name, value] of Object.entries({ host, path })) {
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw misfit(`${where}.${name}`, value, name === 'host' ? 'a name or address' : 'the path of a socket');
  }
  if (port !== undefined && !(Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw misfit(`${where}.port`, port, 'a whole number from 1 to 65535');
  }
}

function malformed(index: number, text: string, why: string): TypeError {
  return new TypeError(
    `nodes[${index}] is malformed, ${why}: "${withoutPassword(text)}"; write redis://user:password@host:6379/0`,
  );
}

function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z]+:\/\/)?.*@/is, '$1***@')
    .replace(/\/\/:.*/s, '//:***')
    .replace(/\?.*/s, '?***');
}
