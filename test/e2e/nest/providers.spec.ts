import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, type ModuleMetadata } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { concat, defer, firstValueFrom, isObservable, lastValueFrom, NEVER, Observable, of, take, toArray } from 'rxjs';
import { Deferred } from '../../support/nest/deferred.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

@Injectable()
class Accounts {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('account:<0>')
  async withdraw(id: string): Promise<string> {
    await this.door.pass(id);
    return id;
  }

  @WithLock((from: string, to: string) => [`account:${from}`, `account:${to}`])
  async transfer(from: string, to: string): Promise<string> {
    await this.door.pass(`${from} to ${to}`);
    return `${from} to ${to}`;
  }

  @WithLock(['account:<0>', 'bank'])
  async audit(_id: string, @CurrentLock() lock?: Lock): Promise<readonly string[]> {
    return lock!.resources;
  }

  @WithLock('account:<0>')
  declared(id: string): Observable<string> {
    return defer(async () => {
      await this.door.pass(id);
      return id;
    });
  }

  @WithLock('account:<0>')
  undeclared(id: string) {
    return defer(async () => {
      await this.door.pass(id);
      return id;
    });
  }

  @WithLock('account:<0>', { reentrant: true })
  endless(id: string): Observable<string> {
    return concat(of(id), NEVER);
  }

  @WithLock('account:<0>')
  async nested(id: string): Promise<void> {
    // The lock is there at once, and is not wanted any more at once.
    this.endless(id).subscribe().unsubscribe();
  }
}

describe('locked methods of providers of two replicas', () => {
  const door = new Door();
  let servers: RedisServer[];
  let apps: TestApp[];
  let [one, two]: Accounts[] = [];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = (): ModuleMetadata => ({
      imports: [poolOn(servers)],
      providers: [Accounts, { provide: Door, useValue: door }],
    });
    apps = await TestApp.pair('Express', metadata);
    [one, two] = apps.map(({ app }) => app.get(Accounts));
  });

  beforeEach(() => {
    door.reset();
    for (const { log } of apps) log.clear();
  });

  afterAll(endAll);

  it.each<[string, (accounts: Accounts) => Promise<unknown>]>([
    ['a promise', (accounts) => accounts.withdraw('a')],
    ['several keys', (accounts) => accounts.transfer('b', 'a')],
    ['an Observable', (accounts) => lastValueFrom(accounts.declared('a'))],
    ['an Observable without a declared type', (accounts) => lastValueFrom(accounts.undeclared('a'))],
  ])('run one after the other: %s', async (_case, call) => {
    door.shut();
    const first = one!.withdraw('a');
    await door.untilVisits(1);
    const second = call(two!);
    await apps[1]!.log.until('contended');
    expect(door.inside).toBe(1);
    door.open();
    await Promise.all([first, second]);
    expect([door.most, door.visits.length]).toEqual([1, 2]);
    await untilFree(servers);
  });

  it('take several keys at once, or none', async () => {
    door.shut();
    const holder = one!.withdraw('b');
    await door.untilVisits(1);
    const transfer = two!.transfer('a', 'b');
    await apps[1]!.log.until('contended', 'account:a');
    // It has "a" while it waits for "b": a caller that comes for "a" now comes after it.
    const other = one!.withdraw('a');
    await apps[0]!.log.until('contended', 'account:a');
    door.open();
    await expect(Promise.all([holder, transfer, other])).resolves.toEqual(['b', 'a to b', 'a']);
    await expect(one!.audit('c')).resolves.toEqual(['account:c', 'bank']);
  });

  it('never wait for each other in a circle', async () => {
    const transfers = Array.from({ length: 6 }, (_, index) =>
      index % 2 ? one!.transfer('a', 'b') : two!.transfer('b', 'a'),
    );
    await expect(Promise.all(transfers)).resolves.toHaveLength(6);
    expect(door.most).toBe(1);
  });

  describe('that return an Observable', () => {
    it('return one, and take nothing before it is subscribed to, once they have been called', async () => {
      await lastValueFrom(one!.declared('a'));
      apps[0]!.log.clear();
      const stream = one!.declared('a');
      expect(isObservable(stream)).toBe(true);
      expect(apps[0]!.log.events).toEqual([]);
      await expect(firstValueFrom(stream)).resolves.toBe('a');
      expect(apps[0]!.log.count('acquired', 'account:a')).toBe(1);
    });

    it('hold the lock until it is unsubscribed', async () => {
      const given = new Deferred<string>();
      const subscription = one!.endless('a').subscribe(given.resolve);
      await expect(given.promise).resolves.toBe('a');
      expect(await holderOn(servers, 'account:a')).not.toBeNull();
      subscription.unsubscribe();
      await untilFree(servers);
      await expect(lastValueFrom(one!.endless('a').pipe(take(1), toArray()))).resolves.toEqual(['a']);
      await untilFree(servers);
    });

    it('free it where it is not wanted any more before it is there', async () => {
      one!.endless('a').subscribe().unsubscribe();
      await one!.nested('b');
      await expect(one!.withdraw('a')).resolves.toBe('a');
      await expect(two!.withdraw('b')).resolves.toBe('b');
      await untilFree(servers);
    });
  });

  it('return an Observable that no type declares', async () => {
    await expect(lastValueFrom(one!.undeclared('a'))).resolves.toBe('a');
    expect(isObservable(one!.undeclared('a'))).toBe(true);
    await untilFree(servers);
  });
});
