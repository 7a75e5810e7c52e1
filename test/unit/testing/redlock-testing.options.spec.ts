import { describe, expect, it } from '@jest/globals';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';
import type { RedlockTestingOptions } from '../../../lib/testing/redlock-testing.options.js';

const register = (options: object): unknown => RedlockTestingModule.forRoot(options);

describe('the options of RedlockTestingModule', () => {
  it('may all be left out, and may all be given', () => {
    const all: Required<RedlockTestingOptions> = {
      nodes: 5,
      clock: 'real',
      pools: ['a', 'b'],
      restartQuarantine: true,
      waitForQuorum: 5_000,
      isGlobal: true,
      maxTtl: 20_000,
      nodeTimeout: 50,
      shutdownTimeout: 0,
      maxWaiters: 5,
      maxResources: 10,
      logKeys: true,
      application: 'orders',
      defaults: { ttl: 5_000 },
      exceptionFactory: (error) => error,
    };
    expect(() => register(all)).not.toThrow();
    expect(() => register({})).not.toThrow();
    expect(() => register({ clock: 'manual', waitForQuorum: false })).not.toThrow();
    expect(() => RedlockTestingModule.forRoot()).not.toThrow();
  });

  it.each<[string, object, typeof Error, RegExp]>([
    ['no nodes', { nodes: 0 }, RangeError, /nodes must be a whole number from 1 to 99; got 0/],
    ['addresses', { nodes: ['redis://a'] }, TypeError, /nodes must be a whole number/],
    ['half a node', { nodes: 1.5 }, RangeError, /nodes must be/],
    ['another clock', { clock: 'fake' }, TypeError, /clock must be 'real' or 'manual'; got 'fake'/],
    ['pools without a name', { pools: [''] }, TypeError, /pools must be different names/],
    ['one pool twice', { pools: ['a', 'a'] }, TypeError, /pools must be different names/],
    ['a pool alone', { pools: 'a' }, TypeError, /pools must be different names/],
    ['no boolean', { isGlobal: 1 }, TypeError, /isGlobal must be true or false; got 1/],
    ['an unknown option', { name: 'billing' }, TypeError, /RedlockTestingModule: there is no option "name".*pools/],
    ['a prefix of keys', { keyPrefix: 'a' }, TypeError, /no option "keyPrefix"/],
    [
      'a wait that a clock by hand cannot end',
      { clock: 'manual', waitForQuorum: true },
      TypeError,
      /waitForQuorum must be false/,
    ],
    [
      'a wait in ms that it cannot end either',
      { clock: 'manual', waitForQuorum: 50 },
      TypeError,
      /waitForQuorum must be false/,
    ],
    ['a wait for nothing', { waitForQuorum: 0 }, RangeError, /waitForQuorum must be true, false, or a number/],
    ['a wrong option of a pool', { maxTtl: -1 }, RangeError, /maxTtl must be/],
    ['a wrong lock option', { defaults: { ttl: 0 } }, RangeError, /ttl must be/],
  ])('are refused: %s', (_name, options, Kind, message) => {
    expect(() => register(options)).toThrow(Kind);
    expect(() => register(options)).toThrow(message);
  });
});
