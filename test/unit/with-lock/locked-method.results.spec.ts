import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isObservable, type Observable } from 'rxjs';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { Deferred } from '../../support/nest/deferred.js';
import { LazyQuery } from '../../support/nest/lazy-query.js';
import { StubService } from '../../support/nest/stub-service.js';
import { Watched } from '../../support/nest/watched.js';

class Service {
  query!: LazyQuery<string>;
  readonly values = new Watched<number>();

  @WithLock('user:<0>')
  find(_id: number): PromiseLike<string> {
    return this.query;
  }

  @WithLock('report', { onContended: 'join' })
  async report(): Promise<Observable<number>> {
    return this.values.stream;
  }
}

describe('a locked method that takes the lock itself', () => {
  let locker: StubService;
  let service: Service;

  beforeEach(() => {
    locker = new StubService();
    service = bound(new Service(), locker);
  });

  it('holds it until the thenable that it returns has settled, and runs that once', async () => {
    const work = new Deferred<string>();
    service.query = new LazyQuery(() => work.promise);
    const result = service.find(5);
    await locker.untilHeld(1);
    await new Promise(setImmediate);
    expect(locker.held).toBe(1);
    work.resolve('row');
    await expect(result).resolves.toBe('row');
    expect([locker.held, service.query.runs]).toEqual([0, 1]);
  });

  it('promises a stream also to a call that comes while calls share the values of one', async () => {
    (await service.report()).subscribe();
    await service.values.untilSubscribed();
    expect(isObservable(await service.report())).toBe(true);
  });
});
