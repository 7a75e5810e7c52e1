import { describe, expect, it } from '@jest/globals';
import { isTls, misplacedInTls, plainTls } from '../../../../../lib/redis/connection/settings/option-values.js';

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
