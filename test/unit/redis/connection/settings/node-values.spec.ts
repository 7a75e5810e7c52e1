import { describe, expect, it } from '@jest/globals';
import { checkNodeValues } from '../../../../../lib/redis/connection/settings/node-values.js';

const SECRET = 's3cret';
const refusal = (options: object): string | undefined => {
  try {
    checkNodeValues({ host: 'h', ...options }, 'nodes[1]');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('checkNodeValues', () => {
  it.each([
    [{ connectTimeout: 0, disconnectTimeout: 0.5, keepAlive: 0, db: 0, family: 0, protocol: 2 }],
    [{ connectTimeout: 2 ** 31 - 1, keepAlive: 5_000, db: 15, family: 6, protocol: 3, port: 65_535 }],
    [{ connectTimeout: undefined, db: undefined, family: undefined, protocol: undefined, tls: undefined }],
    [{ host: '::1', tls: { ca: 'x' } }],
    [{ host: undefined, path: '/run/redis@1.sock' }],
  ])('takes %j', (options) => {
    expect(refusal(options)).toBeUndefined();
  });

  it.each<[string, unknown[], string]>([
    ['connectTimeout', ['2000', -1, NaN, Infinity, 2 ** 31, null], 'a number of ms from 0 to 2147483647'],
    ['disconnectTimeout', ['500', -1, NaN], 'a number of ms from 0 to 2147483647'],
    ['keepAlive', [true, -1, NaN], 'a number of ms from 0 to 2147483647'],
    ['db', ['x', '', -1, NaN, 1.5, null], 'the number of a database, a whole number from 0 (Number(...) makes one'],
    ['port', ['6379', 0, 65_536, NaN], 'a whole number from 1 to 65535'],
    ['family', ['4', 5, NaN, null], '4, 6, or 0 for both'],
    ['protocol', ['3', 1, 4, NaN, null], '2 or 3, as a number'],
  ])('refuses as %s %p, which would throw where nobody catches it', (name, values, bound) => {
    for (const value of values) expect(refusal({ [name]: value })).toContain(`nodes[1].${name} must be ${bound}`);
  });

  it.each([
    [{ host: `redis://u:${SECRET}@h:6379` }, 'host'],
    [{ host: `u:${SECRET}@h` }, 'host'],
    [{ host: `//${SECRET}` }, 'host'],
    [{ path: `redis://u:${SECRET}@h:6379` }, 'path'],
  ])('refuses a URL in the place of an address, and does not show it (%#)', (options, name) => {
    const message = refusal(options);
    expect(message).toMatch(new RegExp(`^nodes\\[1\\]\\.${name} must be .*give that as the node itself, as a text$`));
    expect(message).not.toContain(SECRET);
  });

  it('shows nothing of a host that is no text', () => {
    const message = refusal({ host: new URL(`redis://u:${SECRET}@h`) });
    expect(message).toBe('nodes[1].host must be a name or address; got a value of type object');
  });

  it.each([[SECRET], [''], [5], [() => SECRET]])(
    'refuses a tls that is no object, and does not show it (%#)',
    (tls) => {
      const message = refusal({ tls });
      expect(message).toMatch(/^nodes\[1\]\.tls must be an object of options of TLS, true or false; got /);
      expect(message).not.toContain(SECRET);
    },
  );

  it.each(['host', 'port', 'path', 'socket'])('refuses tls.%s, which says where the node is', (name) => {
    expect(refusal({ tls: { [name]: 'x' } })).toMatch(
      new RegExp(`^nodes\\[1\\]\\.tls\\.${name} is refused: .*belongs into nodes\\[1\\] itself`),
    );
  });
});
