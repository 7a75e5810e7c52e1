import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { OWN_SETTINGS } from '../../../../../lib/redis/connection/settings/connection-settings.js';
import { readNodeOptions } from '../../../../../lib/redis/connection/settings/node-options.js';

const REDIS = createRequire(import.meta.url).resolve('ioredis');
const refusal = (options: object): string | undefined => {
  try {
    readNodeOptions(options, 'nodes[1]');
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
};

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
    expect(message).toBe('nodes[1].credentials must be a function that returns them; got object');
  });

  it('may be undefined, as environments leave them', () => {
    expect(refusal({ host: 'h', commandTimeout: undefined, sentinels: undefined })).toBeUndefined();
  });

  it('may be said as a pool sets them anyway', () => {
    const { retryStrategy, ...settings } = OWN_SETTINGS;
    expect(retryStrategy).toBeInstanceOf(Function);
    expect(refusal({ host: 'h', ...settings })).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['commandTimeout', 100, /two could hold one lock; nodeTimeout/],
    ['socketTimeout', 100, /two could hold one lock; nodeTimeout/],
    ['blockingTimeout', 100, /nodeTimeout/],
    ['blockingTimeoutGrace', 100, /nodeTimeout/],
    ['enableOfflineQueue', true, /sent later/],
    ['offlineQueue', true, /sent later/],
    ['commandQueue', false, /sent later/],
    ['autoResendUnfulfilledCommands', true, /sent later/],
    ['maxRetriesPerRequest', null, /sent later/],
    ['maxRetriesPerRequest', 3, /sent later/],
    ['reconnectOnError', () => true, /sent later/],
    ['retryStrategy', () => 1, /connects again, by itself/],
    ['lazyConnect', false, /by itself/],
    ['autoResubscribe', true, /by itself/],
    ['enableReadyCheck', true, /still loading/],
    ['maxLoadingRetryTime', 1, /still loading/],
    ['stringNumbers', true, /as Redis sends them/],
    ['replyMapping', 'resp3', /as Redis sends them/],
    ['enableAutoPipelining', true, /one script call/],
    ['autoPipeliningIgnoredCommands', [], /one script call/],
    ['monitor', true, /takes no commands/],
    ['scripts', {}, /a client of your own/],
    ['himportFieldsets', [], /a client of your own/],
    ['keyPrefix', 'x', /keyPrefix of the module/],
    ['readOnly', true, /independent masters/],
    ['Connector', class {}, /one master that stays where it is/],
    ['sentinels', [{ host: 'h' }], /one master that stays where it is/],
    ['name', 'mymaster', /one master that stays where it is/],
    ['role', 'slave', /one master that stays where it is/],
    ['natMap', {}, /one master that stays where it is/],
  ])('may not be %s: %p, and it is said why', (name, value, why) => {
    const message = refusal({ host: 'h', [name]: value });
    expect(message).toMatch(new RegExp(`^nodes\\[1\\]\\.${name} is refused: `));
    expect(message).toMatch(why);
  });

  it.each(['hostname', 'url', 'uri', 'comandTimeout', 'constructor', 'toString'])(
    'may not be "%s", which nobody knows, and it is said what there is',
    (name) => {
      const message = refusal({ host: 'h', [name]: 's3cret' });
      expect(message).toContain(`nodes[1]: there is no option "${name}"`);
      expect(message).toContain('there are host, port, path');
      expect(message).not.toContain('s3cret');
      expect(message?.includes('a URL goes into nodes as it is')).toBe(/^ur[il]$/.test(name));
    },
  );

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
    expect(refusal(new Impatient())).toMatch(/^nodes\[1\]\.commandTimeout is refused: /);
  });

  it.each([
    [{ tls: false }, {}],
    [{ tls: null }, {}],
    [{ tls: true }, { tls: {} }],
    [{ db: '2' }, { db: 2 }],
    [{ connectTimeout: undefined }, {}],
  ])('are read as ioredis means them: %j', (options, read) => {
    expect(Object.entries(readNodeOptions({ host: 'h', ...options }, 'nodes[1]'))).toEqual(
      Object.entries({ host: 'h', ...read }),
    );
  });

  it('are sorted as far as this ioredis reads any: what it reads is known', async () => {
    const sources = await Promise.all(
      [
        'Redis.js',
        'redis/event_handler.js',
        'connectors/StandaloneConnector.js',
        'connectors/SentinelConnector/index.js',
      ].map((file) => readFile(join(REDIS, '..', file), 'utf8')),
    );
    const read = sources.join('\n').matchAll(/\boptions\??\.(\w+)\b(?! ?\()/g);
    const names = [...new Set([...read].map(([, name]) => name!))];
    expect(names.length).toBeGreaterThan(30);
    const unsorted = names.filter((name) => refusal({ [name]: Symbol('any') })?.includes('there is no option'));
    expect(unsorted).toEqual([]);
  });
});
