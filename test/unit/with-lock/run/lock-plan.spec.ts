import { describe, expect, it } from '@jest/globals';
import type { LockKey } from '../../../../lib/with-lock/key/lock-key.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';

const plan = (options: object): ReturnType<typeof toPlan> => toPlan('key', options, '@WithLock on Users.create');

describe('toPlan', () => {
  it('waits unless it is told otherwise', () => {
    expect(plan({})).toMatchObject({ onContended: 'wait', pool: undefined, options: {} });
    expect(plan({ waitTimeout: 700 }).options).toEqual({ waitTimeout: 700, label: 'key' });
  });

  it.each(['reject', 'skip'])('makes one attempt where a held resource means %s', (onContended) => {
    expect(plan({ onContended, waitTimeout: 700 }).options.waitTimeout).toBe(0);
  });

  it('waits where equal calls share an outcome, and remembers them by method', () => {
    const [one, other] = [plan({ onContended: 'join', waitTimeout: 700 }), plan({ onContended: 'join' })];
    expect(one.options.waitTimeout).toBe(700);
    expect(one.sharedRuns).toBeDefined();
    expect(one.sharedRuns).not.toBe(other.sharedRuns);
    expect(plan({}).sharedRuns).toBeUndefined();
  });

  it.each<[string, LockKey, object, string]>([
    ['its templates', ['user:<0.email>', 'all'], {}, 'user:<0.email>, all'],
    ['its label, where it has one', 'user:<0.email>', { label: 'sign-up' }, 'sign-up'],
    ['the method, where its key is a function', (id: number) => `user:${id}`, {}, 'Users.create'],
  ])('is named in telemetry by %s', (_, key, options, label) => {
    expect(toPlan(key, options, '@WithLock on Users.create').options.label).toBe(label);
  });

  it('keeps the options of the lock and the pool', () => {
    const { signal } = new AbortController();
    expect(plan({ ttl: 900, maxHold: 5_000, signal, name: 'reports' })).toMatchObject({
      options: { ttl: 900, maxHold: 5_000, signal },
      pool: 'reports',
    });
  });

  it.each<[string, object, RegExp, ErrorConstructor]>([
    ['an unknown option', { tll: 5 }, /no option "tll"/, TypeError],
    ['a ttl of zero', { ttl: 0 }, /ttl must be .* got 0/, RangeError],
    ['a negative ttl', { ttl: -1 }, /ttl must be .* got -1/, RangeError],
    ['a ttl that is no number', { ttl: NaN }, /ttl must be .* got NaN/, RangeError],
    ['a ttl below one ms', { ttl: 0.5 }, /ttl must be .* got 0.5/, RangeError],
    [
      'a ttl that no lock could have',
      { ttl: 1 },
      /create: ttl must be more than 8 ms.* got 1 \[REDLOCK_E03\]$/,
      RangeError,
    ],
    [
      'one by its own drift',
      { ttl: 15, driftFactor: 0.5 },
      /create: ttl must be more than 15 ms.* got 15 \[REDLOCK_E03\]$/,
      RangeError,
    ],
    ['a ttl above the longest timer', { ttl: 2 ** 31 }, /ttl must be .* 2147483647; got 2147483648/, RangeError],
    ['a ttl in words', { ttl: '10s' }, /ttl must be .* got ['"]10s/, TypeError],
    ['a negative waitTimeout', { waitTimeout: -1 }, /waitTimeout must be .* got -1/, RangeError],
    [
      'an unknown onContended',
      { onContended: 'ignore' },
      /onContended must be one of wait, reject, skip, join; got '?ignore/,
      TypeError,
    ],
    ['an empty name', { name: '' }, /name must be/, TypeError],
    ['a name that is no text', { name: {} }, /name must be/, TypeError],
    ['a signal that is none', { signal: {} }, /signal must be an AbortSignal/, TypeError],
  ])('refuses %s, and names the method', (_case, options, message, kind) => {
    expect(() => plan(options)).toThrow(kind);
    expect(() => plan(options)).toThrow(message);
    expect(() => plan(options)).toThrow(/^@WithLock on Users\.create/);
  });

  it('names the method of a malformed key, too', () => {
    expect(() => toPlan('<body.', {}, '@WithLock on Users.create')).toThrow(/Users\.create/);
  });

  it.each([null, 'ttl'])('refuses options that are %j', (options) => {
    expect(() => plan(options as unknown as object)).toThrow(TypeError);
  });
});
