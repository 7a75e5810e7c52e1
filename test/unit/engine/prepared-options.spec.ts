import { describe, expect, it } from '@jest/globals';
import { OptionPreparer } from '../../../lib/engine/prepared-options.js';
import { DEFAULT_LOCK_OPTIONS, LOCK_OPTION_NAMES, type LockOptions } from '../../../lib/engine/options.js';

describe('OptionPreparer', () => {
  const preparer = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);

  it('has the defaults for each option that a call does not set', () => {
    expect(preparer.prepare(undefined)).toBe(DEFAULT_LOCK_OPTIONS);
    expect(preparer.prepare({ ttl: 500.5 })).toEqual({ ...DEFAULT_LOCK_OPTIONS, ttl: 500 });
  });

  it.each<[string, LockOptions]>([
    ['an unknown option', { tll: 5 } as LockOptions],
    ['a wrong one', { ttl: -1 }],
    ['one above maxTtl', { ttl: 30_001 }],
  ])('refuses %s, each time', (_case, options) => {
    for (let times = 0; times < 2; times += 1) {
      expect(() => preparer.prepare(options)).toThrow(/tll|ttl/);
      expect(() => preparer.prepareShared(options, { signal: undefined, skips: false })).toThrow(/tll|ttl/);
    }
  });

  it('knows every option that calls share', () => {
    const shared: LockOptions = {
      ttl: 700,
      waitTimeout: 1,
      quorumTimeout: 8,
      retryCount: 2,
      retryDelay: 3,
      retryJitter: 4,
      driftFactor: 0.5,
      autoExtend: true,
      maxHold: 5,
      minHold: 6,
      reentrant: true,
      label: 'user',
    };
    const cancel = new AbortController().signal;
    const { signal, skips, ...options } = preparer.prepareShared(shared, { signal: cancel, skips: true });
    expect(Object.keys(shared)).toEqual(LOCK_OPTION_NAMES.filter((name) => name !== 'signal'));
    expect(options).toEqual(shared);
    expect([signal, skips]).toEqual([cancel, true]);
  });

  it('looks closer only at what the latest call did not ask for', () => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    const first = own.prepare({ ttl: 700, waitTimeout: 0 });
    expect(own.prepare({ waitTimeout: 0, ttl: 700 })).toBe(first);
    expect(own.prepare({ ttl: 701, waitTimeout: 0 })).toEqual({ ...first, ttl: 701 });
    expect(own.prepare({ ttl: 701 })).toEqual({ ...DEFAULT_LOCK_OPTIONS, ttl: 701 });
    expect(own.prepare({ ttl: 701, waitTimeout: 0 })).toEqual({ ...first, ttl: 701 });
    expect(own.prepare({})).toEqual(DEFAULT_LOCK_OPTIONS);
    expect(() => own.prepare({ tll: 5 } as LockOptions)).toThrow('tll');
  });

  it.each<[string, unknown]>([
    ['a function', async () => undefined],
    ['null', null],
    ['a text', 'ttl'],
    ['a list', [500]],
    ['a name that every object has', { toString: () => 'options' }],
  ])('refuses %s also after options that say nothing', (_case, options) => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    own.prepare({});
    expect(() => own.prepare(options as LockOptions)).toThrow(TypeError);
    expect(() => own.prepare(options as LockOptions)).toThrow(/options/);
  });

  it('takes no inherited option, whatever the latest call asked for', () => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    own.prepare({ ttl: 700 });
    expect(own.prepare(Object.create({ ttl: 700 }) as LockOptions)).toEqual(DEFAULT_LOCK_OPTIONS);
  });

  it('notices that an object says something else than before', () => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    const options: LockOptions = { ttl: 700 };
    expect(own.prepare(options).ttl).toBe(700);
    options.ttl = 800;
    expect(own.prepare(options).ttl).toBe(800);
    options.ttl = -1;
    expect(() => own.prepare(options)).toThrow('ttl');
  });

  it('gives each call its own signal', () => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    const [one, other] = [new AbortController(), new AbortController()];
    expect(own.prepare({ ttl: 700, signal: one.signal }).signal).toBe(one.signal);
    expect(own.prepare({ ttl: 700, signal: other.signal }).signal).toBe(other.signal);
    expect(own.prepare({ ttl: 700 }).signal).toBeUndefined();
  });

  it('keeps nothing that comes with a signal', () => {
    const own = new OptionPreparer(DEFAULT_LOCK_OPTIONS, 30_000);
    const options = { ttl: 700, signal: new AbortController().signal };
    expect(own.prepare(options)).not.toBe(own.prepare(options));
  });

  it('looks at what calls share once, and gives each its own end of the wait', () => {
    let looks = 0;
    const shared: LockOptions = {
      get ttl() {
        looks += 1;
        return 700;
      },
    };
    const signals = [new AbortController().signal, new AbortController().signal];
    const before = looks;
    const [first, second] = signals.map((signal) => preparer.prepareShared(shared, { signal, skips: false }));
    const once = looks - before;
    preparer.prepareShared(shared, { signal: signals[0], skips: false });
    expect(looks - before).toBe(once);
    expect([first!.ttl, second!.ttl, first!.signal, second!.signal]).toEqual([700, 700, ...signals]);
  });
});
