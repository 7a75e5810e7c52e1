import { describe, expect, it } from '@jest/globals';
import { readModuleOptions, type RedlockModuleOptions } from '../../lib/redlock.options.js';

const NODES = ['redis://10.0.0.1'];

const read = (options: object): RedlockModuleOptions => readModuleOptions({ nodes: NODES, ...options });

describe('readModuleOptions', () => {
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
    expect(() => read(options)).not.toThrow();
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
      /keyPrefix must be a text that does not end in a part of the reserved ending "~fence"/,
    ],
    ['an application without a name', { application: '' }, /application must be a name of 1 to 200 characters.*got ''/],
    [
      'a prefix that ends in a tilde',
      { keyPrefix: 'app~' },
      /keyPrefix must be a text that does not end in .*got 'app~'/,
    ],
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
    expect(() => read(options)).toThrow(message);
  });

  it.each<[keyof RedlockModuleOptions, string, unknown]>([
    ['enabled', 'false', false],
    ['restartQuarantine', 'true', true],
    ['logKeys', 'false', false],
    ['waitForQuorum', 'true', true],
    ['waitForQuorum', '30000', 30_000],
    ['maxTtl', '60000', 60_000],
    ['nodeTimeout', '12.5', 12.5],
    ['shutdownTimeout', '0', 0],
    ['maxWaiters', '5', 5],
    ['maxResources', '128', 128],
    // These are texts whatever they look like.
    ['keyPrefix', '5', '5'],
    ['application', 'true', 'true'],
  ])('reads %s: %j, as settings of an environment come, as %j', (name, text, value) => {
    expect(read({ [name]: text })).toEqual({ nodes: NODES, [name]: value });
  });

  it.each<[string, string, unknown]>([
    ['ttl', '10000', 10_000],
    ['waitTimeout', 'Infinity', Infinity],
    ['retryCount', '3', 3],
    ['retryDelay', '50', 50],
    ['retryJitter', '0', 0],
    ['driftFactor', '0.02', 0.02],
    ['maxHold', '60000', 60_000],
    ['minHold', '1000', 1_000],
    ['autoExtend', 'true', true],
    ['reentrant', 'false', false],
    ['label', '5', '5'],
  ])('reads defaults.%s: %j as %j', (name, text, value) => {
    expect(read({ defaults: { [name]: text } }).defaults).toEqual({ [name]: value });
  });

  it.each<[object, string]>([
    [{ maxTtl: '' }, "RedlockModule: maxTtl must be a number of ms from 10 to 2147483647; got ''"],
    [{ maxTtl: ' ' }, "RedlockModule: maxTtl must be a number of ms from 10 to 2147483647; got ' '"],
    [{ maxTtl: '5' }, "RedlockModule: maxTtl must be a number of ms from 10 to 2147483647; got '5'"],
    [{ maxTtl: '30s' }, "RedlockModule: maxTtl must be a number of ms from 10 to 2147483647; got '30s'"],
    [{ maxTtl: 'true' }, "RedlockModule: maxTtl must be a number of ms from 10 to 2147483647; got 'true'"],
    [{ restartQuarantine: '' }, "RedlockModule: restartQuarantine must be true or false; got ''"],
    [{ restartQuarantine: '0' }, "RedlockModule: restartQuarantine must be true or false; got '0'"],
    [
      { waitForQuorum: '' },
      "RedlockModule: waitForQuorum must be true, false, or a number of ms from 1 to 2147483647; got ''",
    ],
    [{ defaults: { ttl: '' } }, "RedlockModule: defaults: ttl must be a number of ms from 1 to 2147483647; got ''"],
    [
      { defaults: { driftFactor: '1%' } },
      "RedlockModule: defaults: driftFactor must be a number from 0 to 0.5; got '1%'",
    ],
    [
      { maxTtl: '5000', defaults: { ttl: '6000' } },
      'RedlockModule: defaults: ttl must be at most maxTtl, 5000 ms; a longer hold is what autoExtend is for, or set maxTtl; got 6000',
    ],
  ])('refuses %j, and names the option and what was written', (options, message) => {
    expect(() => read(options)).toThrow(
      expect.objectContaining({ message: `${message} [REDLOCK_E03]`, code: 'REDLOCK_E03' }),
    );
  });

  it('leaves the given object as it is', () => {
    const options = { nodes: NODES, maxTtl: '60000', defaults: { ttl: '10000' } };
    const copy = structuredClone(options);
    read(options);
    expect(options).toEqual(copy);
  });

  it('checks options that an object of a class gives by a getter, too', () => {
    class Settings {
      readonly nodes = NODES;
      get nodeTimeout(): number {
        return Number.NaN;
      }
    }
    expect(() => readModuleOptions(new Settings())).toThrow(/nodeTimeout must be .*got NaN/);
  });

  it('reads the defaults of an object of a class, whose getters are no properties of its own', () => {
    class Defaults {
      readonly autoExtend = true;
      get ttl(): number {
        return 2_000;
      }
      get waitTimeout(): string {
        return '100';
      }
    }
    expect(read({ defaults: new Defaults() }).defaults).toEqual({ autoExtend: true, ttl: 2_000, waitTimeout: 100 });
  });

  it.each([undefined, null, 'redis://10.0.0.1', 5])('refuses options that are %j', (options) => {
    expect(() => readModuleOptions(options as unknown as RedlockModuleOptions)).toThrow(TypeError);
  });
});
