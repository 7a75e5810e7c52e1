/** A client of ioredis, of any version and copy: a node takes its address and login from it, and leaves the client itself alone. */
export interface IoredisClient {
  readonly options: object;
  readonly status: string;
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
  throw new TypeError(`${where} is ${other}`);
}

/** Returns those options of a client that a node is made of; the others are for its own connection. */
export function optionsOfClient({ options }: IoredisClient): object {
  return Object.fromEntries(TAKEN.map((name) => [name, options[name as keyof typeof options]]));
}
