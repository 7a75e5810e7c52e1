import { LONGEST_TIMER } from '../../../lib/engine/clock.js';
import { describe, expect, it } from '@jest/globals';
import {
  checkLockOptions,
  DEFAULT_LOCK_OPTIONS,
  type LockOptions,
  prepareOptions,
  toTtl,
} from '../../../lib/engine/options.js';

const MS = 'a number of ms from';
const refusal = (options: unknown): Error => {
  try {
    checkLockOptions(options as LockOptions, 'here');
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was accepted');
};

const BOUNDS = { driftFactor: 0.01, maxTtl: LONGEST_TIMER };

describe('checkLockOptions', () => {
  it.each([
    ['ttl', [0, -1, NaN, 0.5, 2 ** 31, Infinity], `${MS} 1 to 2147483647`],
    ['waitTimeout', [-1, NaN, 2 ** 31], `${MS} 0 to 2147483647, or Infinity`],
    ['retryCount', [-1, 0.5, NaN, -Infinity], 'a whole number from 0, or Infinity'],
    ['retryDelay', [-1, NaN, 2 ** 31, Infinity], `${MS} 0 to 2147483647`],
    ['retryJitter', [-1, NaN, 2 ** 31, Infinity], `${MS} 0 to 2147483647`],
    ['driftFactor', [-0.1, 0.51, NaN, Infinity], 'a number from 0 to 0.5'],
    ['maxHold', [0, -1, NaN, 0.5, 2 ** 31], `${MS} 1 to 2147483647, or Infinity`],
  ])('refuses a %s of %j, and names the option, the value and the bound', (name, values, bound) => {
    for (const value of values) {
      const error = refusal({ [name]: value });
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toBe(`here: ${name} must be ${bound}; got ${value} [REDLOCK_E03]`);
    }
  });

  it.each([
    ['ttl', '1000', "'1000'"],
    ['ttl', null, 'null'],
    ['ttl', 1_000n, '1000n'],
    ['ttl', Symbol('ms'), 'Symbol(ms)'],
    ['waitTimeout', true, 'true'],
    ['retryCount', '3', "'3'"],
    ['driftFactor', [], '[]'],
    ['autoExtend', 'yes', "'yes'"],
    ['label', '', "''"],
    ['label', 5, '5'],
    ['signal', { aborted: false }, '{ aborted: false }'],
    ['signal', (): void => undefined, '[Function'],
  ])('refuses a %s of the wrong type, and shows the value', (name, value, shown) => {
    const error = refusal({ [name]: value });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(`here: ${name} must be `);
    expect(error.message).toContain(`got ${shown}`);
  });

  it('refuses an unknown option, and lists the known ones', () => {
    const error = refusal({ ttl: 1_000, timeout: 5 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/here: there is no option "timeout"; there are ttl, waitTimeout, .*signal/);
  });

  it.each([null, 'ttl', 5])('refuses %j in place of options', (options) => {
    expect(refusal(options)).toBeInstanceOf(TypeError);
    expect(refusal(options).message).toBe('here: options must be an object [REDLOCK_E03]');
  });

  it.each<[string, unknown]>([
    ['a function', async () => undefined],
    ['a list', [500]],
    ['a name that every object has', { toString: () => 'options' }],
  ])('refuses %s', (_case, options) => {
    expect(refusal(options)).toBeInstanceOf(TypeError);
    expect(refusal(options).message).toMatch(/option/);
  });

  it('takes every bound itself, and undefined as not given', () => {
    const least = { ttl: 1, waitTimeout: 0, retryCount: 0, retryDelay: 0, retryJitter: 0, driftFactor: 0, maxHold: 1 };
    const most = { ttl: 2 ** 31 - 1, waitTimeout: Infinity, retryCount: Infinity, driftFactor: 0.5, maxHold: Infinity };
    const rest = { ttl: undefined, autoExtend: false, signal: new AbortController().signal } as unknown as LockOptions;
    for (const options of [least, most, rest, {}]) expect(() => checkLockOptions(options, 'here')).not.toThrow();
  });
});

describe('prepareOptions', () => {
  const resolve = (options: LockOptions) => prepareOptions(DEFAULT_LOCK_OPTIONS, options);

  it('lays what was given over the base', () => {
    expect(resolve({ ttl: 500, retryDelay: 7 })).toEqual({ ...DEFAULT_LOCK_OPTIONS, ttl: 500, retryDelay: 7 });
  });

  it('takes no inherited option', () => {
    expect(resolve(Object.create({ ttl: 700 }) as LockOptions)).toEqual(DEFAULT_LOCK_OPTIONS);
  });

  it('leaves the base where undefined was given, and leaves it unchanged', () => {
    const options = { ttl: undefined } as unknown as LockOptions;
    expect(resolve(options).ttl).toBe(5_000);
    expect(DEFAULT_LOCK_OPTIONS.ttl).toBe(5_000);
  });

  it('makes a caller wait longer than a crashed holder keeps the lock and some work of the next holder takes', () => {
    expect(DEFAULT_LOCK_OPTIONS.waitTimeout).toBeGreaterThanOrEqual(DEFAULT_LOCK_OPTIONS.ttl + 3_000);
  });

  it('cuts a ttl to whole ms, which is what Redis takes', () => {
    expect(resolve({ ttl: 500.9 }).ttl).toBe(500);
  });

  it.each([
    [1, 0.01, 3],
    [8, 0.01, 3],
    [9, 0.01, 3],
    [7, 0, 2],
    [8, 0, 2],
    [15, 0.5, 10],
    [16, 0.5, 10],
  ])('takes or refuses a ttl of %i ms at a factor of %d by its drift of %i ms', (ttl, driftFactor, drift) => {
    const act = (): unknown => resolve({ ttl, driftFactor });
    if (ttl > drift + 5) expect(act()).toMatchObject({ ttl });
    else
      expect(act).toThrow(
        new RangeError(
          `ttl must be more than ${drift + 5} ms: its clock drift of ${drift} ms, and 5 ms in which nodes may answer; got ${ttl} [REDLOCK_E03]`,
        ),
      );
  });
});

describe('minHold', () => {
  const resolve = (options: LockOptions) => prepareOptions(DEFAULT_LOCK_OPTIONS, options, 30_000);

  it('makes a shorter ttl as long, and leaves a longer one', () => {
    expect(resolve({ ttl: 1_000, minHold: 5_000.5 }).ttl).toBe(5_001);
    expect(resolve({ ttl: 6_000, minHold: 5_000 }).ttl).toBe(6_000);
    expect(resolve({ ttl: 6_000, minHold: 0 }).ttl).toBe(6_000);
  });

  it('is at most maxTtl', () => {
    expect(resolve({ minHold: 30_000 }).ttl).toBe(30_000);
    const above = (): unknown => resolve({ minHold: 30_001 });
    expect(above).toThrow(RangeError);
    expect(above).toThrow(/^minHold must be at most maxTtl, 30000 ms.*got 30001/);
  });

  it.each([-1, NaN, Infinity, 2 ** 31])('may not be %d', (minHold) => {
    expect(() => checkLockOptions({ minHold }, 'here')).toThrow(/here: minHold must be a number of ms from 0/);
    expect(() => checkLockOptions({ minHold }, 'here')).toThrow(RangeError);
  });
});

describe('toTtl', () => {
  it.each([0, -1, NaN, 0.5, 2 ** 31, 3, 8.9])('refuses %d', (ttl) => {
    expect(() => toTtl(ttl, BOUNDS)).toThrow(RangeError);
  });

  it.each([
    [9, 9],
    [10_000.9, 10_000],
    [2 ** 31 - 1, 2 ** 31 - 1],
  ])('takes %d as %i', (given, ttl) => {
    expect(toTtl(given, BOUNDS)).toBe(ttl);
  });
});
