import { describe, expect, it } from '@jest/globals';
import { checkModuleOptions, type RedlockModuleOptions } from '../../lib/redlock.options.js';

const NODES = ['redis://10.0.0.1'];

const check = (options: object): void => checkModuleOptions({ nodes: NODES, ...options });

describe('checkModuleOptions', () => {
  it.each<[string, object]>([
    ['only nodes', {}],
    ['an empty prefix', { keyPrefix: '' }],
    ['a prefix of any script', { keyPrefix: 'ünï~x😀:' }],
    ['no time for holders to finish', { shutdownTimeout: 0 }],
    ['no waiters', { maxWaiters: 0 }],
    ['one resource at a time', { maxResources: 1 }],
    ['a start that waits for as long as it takes', { waitForQuorum: true }],
    ['a start that does not wait', { waitForQuorum: false }],
    ['a start that waits for some time', { waitForQuorum: 1 }],
    ['a name for operators', { application: 'orders (EU)' }],
    [
      'all of them',
      {
        keyPrefix: 'x:',
        nodeTimeout: 1,
        shutdownTimeout: 10_000,
        maxWaiters: 5,
        maxResources: 128,
        application: 'orders',
        defaults: { ttl: 500, waitTimeout: Infinity },
      },
    ],
    [
      'options that are undefined',
      {
        keyPrefix: undefined,
        nodeTimeout: undefined,
        shutdownTimeout: undefined,
        maxWaiters: undefined,
        maxResources: undefined,
        defaults: undefined,
      },
    ],
  ])('takes %s', (_case, options) => {
    expect(() => check(options)).not.toThrow();
  });

  it.each<[string, object, RegExp]>([
    ['an unknown option', { node: NODES }, /no option "node"; there are nodes, keyPrefix, maxTtl/],
    ['an option in the wrong case', { keyprefix: 'x' }, /no option "keyprefix"/],
    ['a prefix that is no text', { keyPrefix: null }, /keyPrefix must be a string.*null/],
    [
      'a prefix with half of a surrogate pair',
      { keyPrefix: 'a\uD800' },
      /keyPrefix must be well-formed Unicode.*got 'a\\u[dD]800'/,
    ],
    [
      'a prefix that resources could make a family of',
      { keyPrefix: 'a:~fen' },
      /keyPrefix must be without the beginning of "~fence"/,
    ],
    ['an application without a name', { application: '' }, /application must be a name of 1 to 200 characters.*got ''/],
    ['a prefix within the mark of a process', { keyPrefix: 'a~process:k3' }, /without the beginning of "~process:"/],
    ['a prefix that ends in a tilde', { keyPrefix: 'app~' }, /keyPrefix must be without .*got 'app~'/],
    ['a maxTtl of nothing', { maxTtl: 0 }, /maxTtl must be .*from 10 .*got 0/],
    [
      'a ttl above maxTtl',
      { maxTtl: 5_000, defaults: { ttl: 5_001 } },
      /ttl must be at most maxTtl, 5000 ms.*got 5001/,
    ],
    ['whole names of no kind', { logKeys: 'yes' }, /logKeys must be true or false.*yes/],
    ['a quarantine of no kind', { restartQuarantine: 'no' }, /restartQuarantine must be true or false.*no/],
    ['a start that waits for nothing', { waitForQuorum: 0 }, /waitForQuorum must be true, false, or .*from 1 .*got 0/],
    ['a start that waits for ever, in ms', { waitForQuorum: Infinity }, /waitForQuorum must be .*got Infinity/],
    ['a start that waits in words', { waitForQuorum: '30s' }, /waitForQuorum must be .*30s/],
    ['a nodeTimeout of zero', { nodeTimeout: 0 }, /nodeTimeout must be .*from 1 .*got 0/],
    ['a negative nodeTimeout', { nodeTimeout: -1 }, /nodeTimeout must be .*got -1/],
    ['a nodeTimeout that never ends', { nodeTimeout: Infinity }, /nodeTimeout must be .*got Infinity/],
    ['a nodeTimeout in words', { nodeTimeout: '50ms' }, /nodeTimeout must be .*50ms/],
    ['a negative shutdownTimeout', { shutdownTimeout: -1 }, /shutdownTimeout must be .*from 0 .*got -1/],
    ['a shutdownTimeout that is no number', { shutdownTimeout: NaN }, /shutdownTimeout must be .*got NaN/],
    [
      'a shutdownTimeout above the longest timer',
      { shutdownTimeout: 2 ** 31 },
      /shutdownTimeout must be .*2147483647.*got 2147483648/,
    ],
    ['a negative maxWaiters', { maxWaiters: -1 }, /maxWaiters must be a whole number from 0.*got -1/],
    ['half a waiter', { maxWaiters: 0.5 }, /maxWaiters must be .*got 0.5/],
    ['a maxWaiters without limit', { maxWaiters: Infinity }, /maxWaiters must be .*got Infinity/],
    ['a maxWaiters in words', { maxWaiters: 'many' }, /maxWaiters must be .*many/],
    ['no resource at all', { maxResources: 0 }, /maxResources must be a whole number from 1 to 128; got 0/],
    ['more resources than a node can take at once', { maxResources: 129 }, /maxResources must be .*got 129/],
    ['half a resource', { maxResources: 1.5 }, /maxResources must be .*got 1.5/],
    ['resources in words', { maxResources: 'many' }, /maxResources must be .*many/],
    ['an unknown default', { defaults: { ttll: 5 } }, /defaults.*no option "ttll"/],
    ['a bad default', { defaults: { ttl: -5 } }, /defaults.*ttl must be .*got -5/],
    ['defaults that are none', { defaults: null }, /defaults/],
    ['defaults that are a number', { defaults: 500 }, /defaults/],
  ])('refuses %s, and names option, value and bound', (_case, options, message) => {
    expect(() => check(options)).toThrow(message);
  });

  it('checks options that an object of a class gives by a getter, too', () => {
    class Settings {
      readonly nodes = NODES;
      get nodeTimeout(): number {
        return Number.NaN;
      }
    }
    expect(() => checkModuleOptions(new Settings())).toThrow(/nodeTimeout must be .*got NaN/);
  });

  it.each([undefined, null, 'redis://10.0.0.1', 5])('refuses options that are %j', (options) => {
    expect(() => checkModuleOptions(options as unknown as RedlockModuleOptions)).toThrow(TypeError);
  });
});
