import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { StubService } from '../../support/nest/stub-service.js';

const mark = Symbol('mark');

/** Puts something on the function itself, as some decorators do. */
const Marked: MethodDecorator = (_target, _name, descriptor) => {
  Object.assign(descriptor.value as object, { [mark]: 'kept', label: 'x' });
};

class Service {
  redlockService = 'of the user';
  readonly factor = 2;

  @WithLock('key:<0>')
  @Marked
  async multiply(value: number, _more?: string, ..._rest: unknown[]): Promise<number> {
    return value * this.factor;
  }

  @WithLock('all')
  async plain(): Promise<string> {
    return 'value';
  }

  @WithLock('all')
  async [mark](): Promise<string> {
    return 'symbol';
  }

  @WithLock('all')
  fail(): never {
    throw new Error('business');
  }

  @WithLock('all')
  async args(...args: unknown[]): Promise<unknown[]> {
    return args;
  }

  unlocked(): string {
    return 'free';
  }
}

describe('WithLock', () => {
  const locker = new StubService();
  const service = bound(new Service(), locker);

  it('runs the method under its lock, with its this and its arguments', async () => {
    await expect(service.multiply(21)).resolves.toBe(42);
    expect(locker.calls.at(-1)).toEqual({ resources: ['key:21'], options: { label: expect.any(String) } });
  });

  it('passes all arguments on, also those that are undefined', async () => {
    await expect(service.args(1, undefined, 'x', undefined)).resolves.toEqual([1, undefined, 'x', undefined]);
  });

  it('makes a promise of what the method returns or throws', async () => {
    await expect(service.plain()).resolves.toBe('value');
    await expect(service.fail()).rejects.toThrow('business');
  });

  it('keeps name, length and own properties of the method', () => {
    expect(service.multiply.name).toBe('multiply');
    expect(service.multiply).toHaveLength(2);
    expect({ ...service.multiply }).toEqual({ [mark]: 'kept', label: 'x' });
    expect(service[mark].name).toBe('[mark]');
  });

  it('keeps the method where it was: on the prototype, not enumerable', () => {
    expect(Object.keys(service)).not.toContain('multiply');
    expect(Object.getOwnPropertyDescriptor(Service.prototype, 'multiply')).toMatchObject({
      enumerable: false,
      configurable: true,
      writable: true,
    });
  });

  it('leaves properties and other methods of the object alone', () => {
    expect(service.redlockService).toBe('of the user');
    expect(service.unlocked()).toBe('free');
    expect(Object.keys(new Service())).toEqual(['redlockService', 'factor']);
  });

  it('locks methods whose name is a symbol', async () => {
    const before = locker.calls.length;
    await expect(service[mark]()).resolves.toBe('symbol');
    expect(locker.calls).toHaveLength(before + 1);
  });

  it('makes calls of several objects lock on the service of each', async () => {
    const other = new StubService();
    const before = locker.calls.length;
    await bound(new Service(), other).multiply(1);
    expect([locker.calls.length, other.calls.length]).toEqual([before, 1]);
  });
});
