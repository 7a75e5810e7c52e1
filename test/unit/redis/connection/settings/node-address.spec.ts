import { describe, expect, it } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
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
        /give (that as the node itself, as a text|its text, which is its href)$/,
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
    expect(whyFailed(reset, address.options)).toMatch(/^read ECONNRESET/);
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

  it.each([{ host: 5 }, { host: '' }, { path: '' }, { path: 5 }])(
    'refuses options that lead nowhere, and says which: %j',
    (options) => {
      const [name] = Object.keys(options);
      expect(refusal(['redis://fine', options]).message).toMatch(
        new RegExp(`^nodes\\[1\\]\\.${name} must be .*; got `),
      );
    },
  );

  it('refuses a live client, and says why', () => {
    const client = new Redis({ lazyConnect: true });
    expect(refusal([client]).message).toMatch(/nodes\[0\] is a live client; .*connection of its own/);
  });

  it.each([
    [{ host: '' }, 'nodes[0].host'],
    [{ host: 7 }, 'nodes[0].host'],
    [{ host: 'h', port: 0 }, 'nodes[0].port must be a whole number from 1 to 65535; got 0'],
    [{ host: 'h', port: 65_536 }, 'nodes[0].port must be a whole number from 1 to 65535; got 65536'],
    [{ host: 'h', port: 1.5 }, 'nodes[0].port'],
    [{ host: 'h', port: '6379' }, "nodes[0].port must be a whole number from 1 to 65535; got '6379'"],
  ])('refuses the options %j', (options, message) => {
    expect(refusal([options])).toBeInstanceOf(Error);
    expect(refusal([options]).message).toContain(message);
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
    expect(refusal([node]).message).toContain('nodes[0] must be a URL or an object of ioredis options');
  });
});
