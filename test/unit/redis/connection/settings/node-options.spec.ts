import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { OWN_SETTINGS, connectionNameOf } from '../../../../../lib/redis/connection/settings/connection-settings.js';
import { readNodeOptions } from '../../../../../lib/redis/connection/settings/node-options.js';
import { isTls, misplacedInTls, plainTls } from '../../../../../lib/redis/connection/settings/option-values.js';

const SECRET = 's3cret';
const refusal = (options: object): string | undefined => {
  try {
    readNodeOptions(options, 'nodes[1]');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const with5 = (times: number): number => Math.min(times * 50, 2_000);

describe('the options of a node', () => {
  it('may be these', () => {
    const options = {
      host: 'h',
      port: 7000,
      path: '/run/redis.sock',
      family: 4,
      db: 1,
      username: 'u',
      password: 'p',
      tls: { ca: 'x' },
      protocol: 3,
      connectionName: 'locks',
      connectTimeout: 500,
      disconnectTimeout: 100,
      keepAlive: 1_000,
      noDelay: true,
      clientInfoTag: 'locks',
      disableClientInfo: true,
      showFriendlyErrorStack: true,
    };
    expect(refusal(options)).toBeUndefined();
  });

  it('may be a function that says how to log in, in the place of user and password', () => {
    const credentials = (): object => ({ password: 'p' });
    expect(refusal({ host: 'h', credentials })).toBeUndefined();
    expect(refusal({ host: 'h', credentials: undefined, password: 'p' })).toBeUndefined();
    for (const login of [{ password: 's3cret' }, { username: 'u' }]) {
      const message = refusal({ host: 'h', credentials, ...login });
      expect(message).toMatch(/^nodes\[1\]\.credentials is refused beside username and password: .*leave out/);
      expect(message).not.toContain('s3cret');
    }
    const message = refusal({ host: 'h', credentials: { password: 's3cret' } });
    expect(message).toBe('nodes[1].credentials must be a function that returns them; got object [REDLOCK_E01]');
  });

  it('may be undefined, as environments leave them', () => {
    expect(refusal({ host: 'h', commandTimeout: undefined, sentinels: undefined })).toBeUndefined();
  });

  it('may be set as a pool sets them anyway', () => {
    expect(refusal({ host: 'h', ...OWN_SETTINGS })).toBeUndefined();
  });

  it('may be the options of an ioredis client, where all that is set by default counts as not set', () => {
    const { options } = new Redis('redis://u:p@h:7000/2', { lazyConnect: true });
    expect(readNodeOptions({ ...options, lazyConnect: false }, 'nodes[1]')).toMatchObject({
      host: 'h',
      port: 7000,
      db: 2,
      username: 'u',
      password: 'p',
    });
    // The functions of ioredis 5 differ from those of ioredis 6.
    expect(refusal({ ...options, keepAlive: 0, retryStrategy: with5 })).toBeUndefined();
  });

  it('may not be others: one message names all of them, and what to do', () => {
    const refused = {
      commandTimeout: 100,
      hostname: 'x',
      enableReadyCheck: 5,
      maxRetriesPerRequest: null,
      keyPrefix: SECRET,
    };
    const message = refusal({ host: 'h', ...refused, port: 0 });
    expect(message).toMatch(
      /^nodes\[1\]: remove commandTimeout \(set nodeTimeout of the module\), hostname, enableReadyCheck, maxRetriesPerRequest, keyPrefix \(set keyPrefix of the module\); a node takes only host, port, path, /,
    );
    expect(message).toMatch(
      /and nestjs-redlock sets all other options of the connection itself \[REDLOCK_E01\]\nnodes\[1\]\.port must be a whole/,
    );
    expect(message).not.toContain(SECRET);
  });

  it.each<[string, unknown, string]>([
    ['commandTimeout', 100, 'commandTimeout (set nodeTimeout of the module)'],
    ['socketTimeout', 100, 'socketTimeout (set nodeTimeout of the module)'],
    ['offlineQueue', true, 'offlineQueue'],
    ['maxRetriesPerRequest', null, 'maxRetriesPerRequest'],
    ['maxRetriesPerRequest', 3, 'maxRetriesPerRequest'],
    ['reconnectOnError', () => true, 'reconnectOnError'],
    ['stringNumbers', true, 'stringNumbers'],
    ['replyMapping', 'resp3', 'replyMapping'],
    ['enableAutoPipelining', true, 'enableAutoPipelining'],
    ['autoPipeliningIgnoredCommands', ['get'], 'autoPipeliningIgnoredCommands'],
    ['monitor', true, 'monitor'],
    ['scripts', {}, 'scripts'],
    ['himportFieldsets', [], 'himportFieldsets'],
    ['keyPrefix', 'x', 'keyPrefix (set keyPrefix of the module)'],
    ['readOnly', true, 'readOnly (a lock needs the master)'],
    ['role', 'slave', 'role (a lock needs the master)'],
    ['Connector', class {}, 'Connector (name the host and port that it connects to)'],
    ['skipVersionCheck', true, 'skipVersionCheck'],
    ['connection', { host: SECRET }, 'connection (write what it holds in the place of this object)'],
    ['url', SECRET, 'url (write the URL in the place of this object)'],
    ['uri', SECRET, 'uri (write the URL in the place of this object)'],
    ...['hostname', 'comandTimeout', 'constructor', 'toString'].map((name): [string, unknown, string] => [
      name,
      SECRET,
      name,
    ]),
  ])('may not be %s: %p, which is not shown', (name, value, advised) => {
    const message = refusal({ host: 'h', [name]: value });
    expect(message?.split(';')[0]).toBe(`nodes[1]: remove ${advised}`);
    expect(message).not.toContain(SECRET);
  });

  it('may be an object of a class, whose getters are read, and checked, as if it were a plain one', () => {
    class Settings {
      readonly port = 7000;
      get host(): string {
        return 'h';
      }
      get password(): string {
        return 's3cret';
      }
      get tls(): object {
        return { ca: 'x' };
      }
    }
    class Impatient extends Settings {
      get commandTimeout(): number {
        return 10;
      }
    }
    const read = readNodeOptions(new Settings(), 'nodes[1]');
    expect({ ...read }).toEqual({ host: 'h', port: 7000, password: 's3cret', tls: { ca: 'x' } });
    expect(refusal(new Impatient())).toMatch(/^nodes\[1\]: remove commandTimeout /);
  });

  it.each([
    [{ tls: false }, {}],
    [{ tls: null }, {}],
    [{ tls: true }, { tls: {} }],
    [{ tls: 'true' }, { tls: {} }],
    [{ tls: 'false' }, {}],
    [{ port: '7000' }, { port: 7000 }],
    [{ family: '4' }, { family: 4 }],
    [{ db: '2' }, { db: 2 }],
    [{ protocol: '2' }, { protocol: 2 }],
    [{ connectTimeout: '500' }, { connectTimeout: 500 }],
    [{ keepAlive: '0' }, { keepAlive: 0 }],
    [{ noDelay: 'false' }, { noDelay: false }],
    [{ connectTimeout: undefined }, {}],
    [{ username: null, connectionName: null }, {}],
  ])('are read as they come from the environment, and as ioredis means them: %j', (options, read) => {
    expect(readNodeOptions({ host: 'h', ...options }, 'nodes[1]')).toEqual({ host: 'h', ...read });
  });

  it.each([
    [{ connectTimeout: 0, disconnectTimeout: 0.5, keepAlive: 0, db: 0, family: 0, protocol: 2 }],
    [{ connectTimeout: 2 ** 31 - 1, keepAlive: 5_000, db: 15, family: 6, protocol: 3, port: 65_535 }],
    [{ host: '::1', tls: { ca: 'x' } }],
    [{ host: undefined, path: '/run/redis@1.sock' }],
  ])('may be %j', (options) => {
    expect(refusal({ host: 'h', ...options })).toBeUndefined();
  });

  it.each<[string, unknown[], string]>([
    ['connectTimeout', ['', '2s', -1, NaN, Infinity, 2 ** 31, null], 'a number of ms from 0 to 2147483647'],
    ['disconnectTimeout', [' ', -1, NaN], 'a number of ms from 0 to 2147483647'],
    ['keepAlive', [true, -1, NaN], 'a number of ms from 0 to 2147483647'],
    ['db', ['x', '', -1, NaN, 1.5, null, '1.5'], 'the number of a database, a whole number from 0'],
    ['port', ['', '0', 'redis', 0, 65_536, NaN], 'a whole number from 1 to 65535'],
    ['family', ['IPv4', 5, NaN, null], '4, 6, or 0 for both'],
    ['protocol', ['resp3', 1, 4, NaN, null], '2 or 3'],
    ['noDelay', ['', 'yes', 1], 'true or false'],
  ])('are refused with %s %p, which would throw where nobody catches it', (name, values, bound) => {
    for (const value of values) {
      const got = typeof value === 'string' ? `'${value}'` : String(value);
      expect(refusal({ host: 'h', [name]: value })).toBe(`nodes[1].${name} must be ${bound}; got ${got} [REDLOCK_E03]`);
    }
  });

  it.each([
    [{ host: `redis://u:${SECRET}@h:6379` }, 'host'],
    [{ host: `u:${SECRET}@h` }, 'host'],
    [{ host: `//${SECRET}` }, 'host'],
    [{ path: `redis://u:${SECRET}@h:6379` }, 'path'],
  ])('are refused with a URL in the place of an address, which is not shown (%#)', (options, name) => {
    const message = refusal({ host: 'h', ...options });
    expect(message).toMatch(
      new RegExp(`^nodes\\[1\\]\\.${name} must be .*give that as the node itself, as a text \\[REDLOCK_E01\\]$`),
    );
    expect(message).not.toContain(SECRET);
  });

  it.each([{ host: '' }, { host: 7 }, { path: '' }, { path: 5 }])(
    'are refused with %j, which leads nowhere',
    (options) => {
      const [name] = Object.keys(options);
      expect(refusal({ host: 'h', ...options })).toMatch(new RegExp(`^nodes\\[1\\]\\.${name} must be .*; got `));
    },
  );

  it('do not show a host that is no text', () => {
    const message = refusal({ host: new URL(`redis://u:${SECRET}@h`) });
    expect(message).toBe('nodes[1].host must be a name or address; got a value of type object [REDLOCK_E01]');
  });

  it.each([[SECRET], [''], [5], [() => SECRET]])(
    'are refused with a tls that is no object, which is not shown (%#)',
    (tls) => {
      const message = refusal({ host: 'h', tls });
      expect(message).toMatch(/^nodes\[1\]\.tls must be an object of options of TLS, true or false; got /);
      expect(message).not.toContain(SECRET);
    },
  );

  it.each(['host', 'port', 'path', 'socket'])('are refused with tls.%s, which says where the node is', (name) => {
    expect(refusal({ host: 'h', tls: { [name]: 'x' } })).toMatch(
      new RegExp(`^nodes\\[1\\]\\.tls\\.${name} is refused: write the place of the node into nodes\\[1\\] itself`),
    );
  });

  describe('of a master of Sentinel', () => {
    const sentinels = [{ host: 'a', port: '26380' }, { host: 'b' }];

    it('name the Sentinels, and need no host', () => {
      const options = { sentinels, name: 'mymaster', sentinelPassword: 'p', natMap: {}, role: 'master' };
      expect(readNodeOptions({ ...options, host: 'localhost', port: 6379 }, 'nodes[0]')).toEqual({
        name: 'mymaster',
        sentinelPassword: 'p',
        natMap: {},
        sentinels: [
          { host: 'a', port: 26_380 },
          { host: 'b', port: 26_379 },
        ],
      });
    });

    it.each([
      [{ sentinels }, 'name must be the name that the Sentinels have for the master; got undefined'],
      [{ sentinels: [], name: 'm' }, 'sentinels must be a list of at least one { host, port }'],
      [{ sentinels: 'a:1', name: 'm' }, 'sentinels must be a list of at least one { host, port }'],
      [{ sentinels: [{ port: 1 }], name: 'm' }, 'sentinels must be a list of at least one { host, port }'],
      [{ sentinels: [{ host: 'a', port: 'x' }], name: 'm' }, 'sentinels must be a list of at least one { host, port }'],
      [{ sentinels: [null], name: 'm' }, 'sentinels must be a list of at least one { host, port }'],
      [{ host: 'h', name: 'm' }, 'name is the name of a master of Sentinel: give sentinels, too, or remove the name'],
    ])('are refused if they are incomplete: %j', (options, problem) => {
      expect(refusal(options)).toBe(`nodes[1].${problem} [REDLOCK_E01]`);
    });
  });
});

describe('the options of TLS', () => {
  it.each([
    [undefined, undefined],
    [false, undefined],
    [null, undefined],
    [true, {}],
    ['true', {}],
    ['false', undefined],
    [{ ca: 'x' }, { ca: 'x' }],
  ])('%j are %j as an object', (tls, plain) => {
    expect(plainTls(tls)).toEqual(plain);
    expect(isTls(plainTls(tls))).toBe(true);
  });

  it.each(['', 'yes', 0, 1])('are not %j', (tls) => {
    expect(isTls(plainTls(tls))).toBe(false);
  });

  it('do not say where the node is', () => {
    expect(misplacedInTls({ port: 1 })).toBe('port');
    expect(misplacedInTls({ ca: 'x' })).toBeUndefined();
    expect(misplacedInTls(undefined)).toBeUndefined();
  });
});

describe('connectionNameOf', () => {
  it.each([
    [undefined, 'nestjs-redlock'],
    ['orders', 'nestjs-redlock:orders'],
    ['@shop/orders', 'nestjs-redlock:@shop/orders'],
    ['orders (EU)\n', 'nestjs-redlock:orders-(EU)-'],
    ['größe', 'nestjs-redlock:gr-e'],
  ])('makes of %j a name that Redis takes: %s', (application, name) => {
    expect(connectionNameOf(application)).toBe(name);
    expect(name).toMatch(/^[!-~]+$/);
  });
});
