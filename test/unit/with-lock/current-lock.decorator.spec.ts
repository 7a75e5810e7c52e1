import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { CurrentLock, lockParameterOf } from '../../../lib/with-lock/current-lock.decorator.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { StubService } from '../../support/nest/stub-service.js';

class Base {
  @WithLock('order:<0>')
  async pay(_id: number, @CurrentLock() lock?: Lock): Promise<unknown[]> {
    return [lock?.resources];
  }

  async plain(_id: number, @CurrentLock() lock?: Lock): Promise<unknown> {
    return lock;
  }
}

class Inherits extends Base {}

class Overrides extends Base {
  @WithLock('mine:<0>')
  override async pay(id: number, note?: unknown): Promise<unknown[]> {
    return [id, note];
  }
}

describe('CurrentLock', () => {
  it('knows its place, by method', () => {
    expect(lockParameterOf(Base.prototype, 'pay')).toBe(1);
    expect(lockParameterOf(Base.prototype, 'toString')).toBeUndefined();
  });

  it('is filled for an inherited method', async () => {
    await expect(bound(new Inherits(), new StubService()).pay(1)).resolves.toEqual([['order:1']]);
  });

  it('fills nothing in a method that overrides one with it', async () => {
    await expect(bound(new Overrides(), new StubService()).pay(1)).resolves.toEqual([1, undefined]);
  });

  it('is undefined in a method without a lock', async () => {
    await expect(new Base().plain(1)).resolves.toBeUndefined();
  });

  it('is refused in a constructor', () => {
    const definition = (): unknown => {
      class Service {
        constructor(@CurrentLock() readonly lock: Lock) {}
      }
      return Service;
    };
    expect(definition).toThrow(TypeError);
    expect(definition).toThrow(/parameters of methods/);
  });
});
