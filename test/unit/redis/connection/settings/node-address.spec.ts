import { describe, expect, it } from '@jest/globals';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { EventEmitter } from 'node:events';
import { whyFailed } from '../../../../../lib/redis/connection/connect-failure.js';
import { toAddresses } from '../../../../../lib/redis/connection/settings/node-address.js';

const SECRET = 's3cret';
const only = (node: string | RedisOptions) => toAddresses([node])[0]!;
const refusal = (nodes: unknown): Error => {
  try {
    toAddresses(nodes as string[]);
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was accepted');
};

describe('toAddresses', () => {
  it.each([
    ['redis://h', { host: 'h', port: 6379, db: 0 }, 'redis://h:6379'],
    ['redis://h:7000', { host: 'h', port: 7000, db: 0 }, 'redis://h:7000'],
    ['redis://h:7000/', { host: 'h', port: 7000, db: 0 }, 'redis://h:7000'],
    ['redis://h:7000/3', { host: 'h', port: 7000, db: 3 }, 'redis://h:7000/3'],
    [`redis://:${SECRET}@h`, { host: 'h', port: 6379, db: 0, password: SECRET }, 'redis://h:6379'],
    [`redis://u:${SECRET}@h`, { host: 'h', port: 6379, db: 0, username: 'u', password: SECRET }, 'redis://h:6379'],
    ['redis://u:a%40b%2Fc@h', { host: 'h', port: 6379, db: 0, username: 'u', password: 'a@b/c' }, 'redis://h:6379'],
    ['rediss://h', { host: 'h', port: 6379, db: 0, tls: { servername: 'h' } }, 'rediss://h:6379'],
  ])('reads %s', (url, options, name) => {
    expect(only(url)).toMatchObject({ options, name });
  });

  it('reads an IPv6 address, and keeps its brackets in the name', () => {
    expect(only('redis://[::1]:7000')).toMatchObject({
      options: { host: '::1', port: 7000 },
      name: 'redis://[::1]:7000',
    });
  });

  it('sends no server name for an IP address, which TLS forbids', () => {
    expect(only('rediss://127.0.0.1').options.tls).not.toHaveProperty('servername');
    expect(only('rediss://[::1]').options.tls).not.toHaveProperty('servername');
  });

  it.each([
    [{ host: 'h', port: 7000 }, 'redis://h:7000'],
    [{ host: 'h', port: 7000, db: 2, tls: {} }, 'rediss://h:7000/2'],
    [{ path: '/run/redis.sock' }, 'redis:///run/redis.sock'],
  ])('takes ioredis options %j as they are', (options, name) => {
    expect(only(options)).toMatchObject({ options, name });
  });

  it.each([
    ['no URL', 'h:'],
    ['an empty text', ''],
    ['another protocol', 'http://h:6379'],
    ['no host', 'redis://'],
    ['a port out of range', 'redis://h:99999'],
    ['a path that is no number', 'redis://h/cache'],
    ['a fraction as its database', 'redis://h/1.5'],
    ['a negative database', 'redis://h/-1'],
    ['settings', 'redis://h?family=6'],
    ['a password with a stray percent sign', 'redis://u:100%@h'],
  ])('refuses an address with %s, and says which one it is and how to write it', (_case, url) => {
    const error = refusal(['redis://fine', url]);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('nodes[1] is malformed');
    expect(error.message).toContain('redis://user:password@host:6379/0');
  });

  it.each([
    `redis://u:${SECRET}@h/cache`,
    `redis://:${SECRET}@h?x=1`,
    `http://u:${SECRET}@h`,
    `u:${SECRET}@h:6379`,
    `redis:u:${SECRET}@h:6379`,
    `redis://u:${SECRET}/more@h`,
    `redis://u:a@${SECRET}@h/cache`,
    `redis://u:${SECRET}#1@h`,
    `redis://u:${SECRET}%zz@h`,
    `redis://h?password=${SECRET}`,
    `redis://:${SECRET}`,
    // Pieces of a list that was split at a comma of the password.
    `redis://u:${SECRET}`,
    `redis://u:a@${SECRET} b`,
    `${SECRET}@h:6379`,
    `a@${SECRET}`,
    SECRET,
  ])('never shows the password of a malformed address (%#)', (url) => {
    expect(refusal([url]).message).not.toContain(SECRET);
  });

  it.each([`redis://locks:12#${SECRET}@host`, `redis://h#${SECRET}`, `redis://u:${SECRET}#1@h`, 'redis://h:1#'])(
    'refuses a URL with "#", at which it would end, says how to write that, and does not show it (%#)',
    (url) => {
      const error = refusal(['redis://fine', url]);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^nodes\[1\] is malformed, it has a "#": .*write %23 instead/);
      expect(error.message).not.toContain(SECRET);
    },
  );

  it.each([{ host: `redis://u:${SECRET}@h` }, { path: `redis://u:${SECRET}@h` }, new URL(`redis://u:${SECRET}@h`)])(
    'refuses a URL within options, or as an object, and does not show it (%#)',
    (options) => {
      expect(refusal([options]).message).toMatch(
        /give (that as the node itself, as a text|its text, which is its href) \[REDLOCK_E01\]$/,
      );
      expect(refusal([options]).message).not.toContain(SECRET);
    },
  );

  it.each([
    [false, 'redis://h:6379'],
    [null, 'redis://h:6379'],
    [true, 'rediss://h:6379'],
  ])('can tell why a node with tls: %j cannot be reached', (tls, name) => {
    const address = only({ host: 'h', tls } as unknown as RedisOptions);
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(address.name).toBe(name);
    expect(whyFailed(reset, address)).toMatch(/^read ECONNRESET/);
  });

  it('shows no password in names and identities', () => {
    const { name, identity } = only(`redis://u:${SECRET}@h:1`);
    expect(`${name} ${identity}`).not.toContain(SECRET);
    expect(only({ host: 'h', password: SECRET }).name).not.toContain(SECRET);
  });

  it.each([
    ['two URLs', 'redis://h:1', 'redis://h:1'],
    ['a URL and options', 'redis://h:1', { host: 'h', port: 1 }],
    ['a port written and one left out', 'redis://h', 'redis://h:6379'],
    ['other letters', 'redis://host.example', 'redis://HOST.example'],
    ['another user', `redis://u:${SECRET}@h`, 'redis://h'],
    ['another database of one server', 'redis://h/0', 'redis://h/1'],
    ['another protocol', 'redis://h', 'rediss://h'],
    ['another spelling of IPv6', 'redis://[::1]', 'redis://[0:0:0:0:0:0:0:1]'],
  ])('refuses one server twice: %s', (_case, first, second) => {
    const error = refusal([first, 'redis://other', second]);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('one server must not vote twice');
    expect(error.message).not.toContain(SECRET);
  });

  it('takes two servers of one machine', () => {
    expect(toAddresses(['redis://h:1', 'redis://h:2'])).toHaveLength(2);
  });

  it('names all that is wrong with all nodes in one error, and shows no password', () => {
    const error = refusal([
      `redis://u:${SECRET}@h/cache`,
      'redis://fine',
      { host: 'h', commandTimeout: 5, port: 'x' },
      null,
    ]);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message.split('\n').map((line) => line.slice(0, 40))).toEqual([
      'nodes[0] is malformed, its path is not a',
      'nodes[2]: remove commandTimeout (set nod',
      'nodes[2].port must be a whole number fro',
      'nodes[3] must be a URL, an object of ior',
    ]);
    expect(error.message).not.toContain(SECRET);
  });

  describe('from a client of ioredis', () => {
    it('takes address and login, and nothing that is for the connection of the client', () => {
      const client = new Redis(`rediss://u:${SECRET}@h:7000/2`, {
        lazyConnect: true,
        connectionName: 'cache',
        commandTimeout: 5,
        connectTimeout: 9,
        maxRetriesPerRequest: null,
        retryStrategy: () => null,
        enableReadyCheck: false,
        enableOfflineQueue: false,
        scripts: {},
      });
      const address = toAddresses([client])[0]!;
      expect(address.name).toBe('rediss://h:7000/2');
      expect(address.options).toEqual({
        host: 'h',
        port: 7000,
        db: 2,
        username: 'u',
        password: SECRET,
        tls: {},
        family: 0,
        protocol: 3,
        // As ioredis has them by default; they count for Sentinels only.
        enableTLSForSentinelMode: false,
        updateSentinels: true,
      });
    });

    it('leaves the client alone: there is no connection, no listener and no change', () => {
      const client = new Redis({ lazyConnect: true });
      const before = { status: client.status, events: client.eventNames(), options: { ...client.options } };
      toAddresses([client]);
      expect({ status: client.status, events: client.eventNames(), options: client.options }).toEqual(before);
    });

    it('takes a client of another version, which has the same shape', () => {
      const options = {
        host: 'h',
        port: 7000,
        family: 4,
        dropBufferSupport: false,
        maxScriptsCachingTime: 60_000,
        role: 'master',
      };
      const client = Object.assign(new EventEmitter(), {
        options,
        status: 'ready',
        duplicate: () => undefined,
        sendCommand: () => undefined,
      });
      expect(toAddresses([client])[0]).toMatchObject({ name: 'redis://h:7000' });
    });

    it.each<[RedisOptions, RegExp]>([
      [{ readOnly: true }, /^nodes\[0\]: remove readOnly \(a lock needs the master\);/],
      [{ role: 'slave' }, /^nodes\[0\]: remove role \(a lock needs the master\);/],
      [{ port: 0 }, /^nodes\[0\]\.port must be/],
    ])('refuses a client that leads to another server: %j', (options, message) => {
      expect(refusal([new Redis({ ...options, lazyConnect: true })]).message).toMatch(message);
    });

    it('knows the keyPrefix of the client, which locks do not have', () => {
      const prefixOf = (keyPrefix?: string): string | undefined =>
        toAddresses([new Redis({ lazyConnect: true, keyPrefix })])[0]!.clientPrefix;
      expect([prefixOf('app:'), prefixOf(''), prefixOf()]).toEqual(['app:', undefined, undefined]);
    });

    it('refuses two clients of one server', () => {
      const clients = [0, 1].map(() => new Redis('redis://h:7000', { lazyConnect: true }));
      expect(refusal(clients).message).toContain('one server must not vote twice');
    });
  });

  describe('from other clients', () => {
    const noop = (): void => undefined;
    // The shapes of redis 4 and 5, and of redis 3.
    const ofNodeRedis = { isOpen: false, sendCommand: noop, duplicate: noop, on: noop };

    it.each<[string, object, RegExp]>([
      [
        'Cluster of ioredis',
        new Cluster([{ host: 'h' }], { lazyConnect: true }),
        /Redis Cluster, .*name masters outside of the cluster/,
      ],
      [
        'Cluster of node-redis',
        { ...ofNodeRedis, nodeClient: noop, slots: [] },
        /Redis Cluster, .*name masters outside of the cluster/,
      ],
      ['client of node-redis', { ...ofNodeRedis, options: {} }, /of node-redis: give its URL instead/],
      ['pool of node-redis', { ...ofNodeRedis, execute: noop }, /of node-redis: give its URL instead/],
      [
        'client of redis 3',
        { send_command: noop, duplicate: noop, options: {}, on: noop },
        /of node-redis: give its URL instead/,
      ],
      [
        'Sentinel of node-redis',
        { ...ofNodeRedis, getSentinelNode: noop },
        /of node-redis: give \{ sentinels: .*name \} instead/,
      ],
      [
        'queue of BullMQ',
        Object.assign(new EventEmitter(), { name: 'mails', opts: {} }),
        /of another library: give the URL of its node/,
      ],
      [
        'promise of a client',
        Promise.resolve(),
        /a promise: await it, for example in useFactory of forRootAsync \[REDLOCK_E01\]$/,
      ],
    ])('refuses a %s in one sentence that says what to do', (_case, client, message) => {
      const error = refusal(['redis://fine', client]);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^nodes\[1\] is [^\n]+$/);
      expect(error.message).toMatch(message);
    });
  });

  describe('from Sentinels', () => {
    const sentinels = [{ host: '10.0.0.9', port: 26_379 }, { host: '10.0.0.8' }];
    const MASTER = { sentinels, name: 'mymaster', password: SECRET };

    it('takes their master as the only node, and names it by the first of them', () => {
      const name = 'redis-sentinel://10.0.0.9:26379/mymaster';
      expect(toAddresses([MASTER])).toMatchObject([{ name, options: { name: 'mymaster', password: SECRET } }]);
      expect(toAddresses([{ ...MASTER, sentinels: [{ host: '::1' }], db: 2 }])[0]!.name).toBe(
        'redis-sentinel://[::1]:26379/mymaster/2',
      );
      expect(toAddresses([new Redis({ ...MASTER, lazyConnect: true })])).toMatchObject([{ name }]);
    });

    it('refuses their master among other nodes, and says what to do', () => {
      for (const nodes of [
        ['redis://h', MASTER],
        ['redis://h', new Redis({ ...MASTER, lazyConnect: true })],
      ])
        expect(refusal(nodes).message).toMatch(
          /^nodes\[1\] is a master of Sentinel, which may be the only node: .*Name masters without replicas instead, each by its URL \[REDLOCK_E01\]$/,
        );
    });
  });

  it.each([{}, { port: 6379 }, { host: undefined, port: 7000 }])(
    'refuses %j, which would mean this machine, and says what is missing',
    (options) => {
      expect(refusal(['redis://fine', options])).toBeInstanceOf(TypeError);
      expect(refusal(['redis://fine', options]).message).toMatch(/^nodes\[1\] has no host: name /);
    },
  );

  it.each([[[]], [undefined], ['redis://h']])('refuses %j in place of a list', (nodes) => {
    expect(refusal(nodes)).toBeInstanceOf(TypeError);
    expect(refusal(nodes).message).toContain('nodes must be an array of at least one address');
  });

  it.each([[null], [7], [undefined]])('refuses %j as a node', (node) => {
    expect(refusal([node])).toBeInstanceOf(TypeError);
    expect(refusal([node]).message).toContain(
      'nodes[0] must be a URL, an object of ioredis options, or a client of ioredis',
    );
  });
});
