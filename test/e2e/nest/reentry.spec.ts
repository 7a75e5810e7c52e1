import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Post } from '@nestjs/common';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { lastValueFrom, Observable, of } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import { PLATFORMS } from '../../support/nest/test-app.js';

@Injectable()
class Users {
  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() readonly redlock: RedlockService,
  ) {}

  @WithLock('user:<0>', { reentrant: true })
  async rename(id: string): Promise<string> {
    await this.door.pass(id);
    return 'renamed';
  }

  renameByService(id: string): Promise<string> {
    return this.redlock.withLock(`user:${id}`, () => this.rename(id), { reentrant: true });
  }

  @WithLock('user:<0>', { reentrant: true })
  renameStream(id: string): Observable<string> {
    return of(`renamed ${id}`);
  }
}

const KEY = 'user:<body.id>';

@Controller()
class UsersController {
  constructor(@Inject(Users) private readonly users: Users) {}

  @Post('locked-method')
  @WithLock(KEY)
  lockedMethod(@Body('id') id: string): Promise<string> {
    return this.users.rename(id);
  }

  @Post('with-lock')
  @WithLock(KEY)
  withLock(@Body('id') id: string): Promise<string> {
    return this.users.renameByService(id);
  }

  @WithLock('user:<0>', { reentrant: true })
  @Post('by-argument')
  byArgument(@Body('id') id: string): Promise<string> {
    return this.users.renameByService(id);
  }

  @Post('observable')
  @WithLock(KEY)
  observable(@Body('id') id: string): Observable<string> {
    return this.users.renameStream(id);
  }

  @Post('own-method')
  @WithLock(KEY)
  ownMethod(@Body('id') id: string): Promise<string> {
    return this.byArgument(id);
  }

  @Post('side-by-side')
  @WithLock([KEY, 'users'])
  async sideBySide(@Body('id') id: string): Promise<string> {
    const [first] = await Promise.all([
      this.users.rename(id),
      this.users.renameByService(id),
      lastValueFrom(this.users.renameStream(id)),
    ]);
    return first;
  }

  @Post('partly')
  @WithLock(KEY)
  async partly(@Body('id') id: string): Promise<string> {
    return this.users.redlock.withLock([`user:${id}`, 'users'], () => 'ran', { reentrant: true });
  }
}

describe.each(PLATFORMS)('a lock that is held already, and said to be reentrant, on %s', (platform) => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start(platform, () => ({ controllers: [UsersController], providers: [Users] }));
  });
  beforeEach(() => replicas.reset());
  afterAll(endAll);

  const ROUTES = ['locked-method', 'with-lock', 'by-argument', 'observable', 'own-method', 'side-by-side'];

  it.each(ROUTES)('is shared by what the handler calls: %s', async (path) => {
    const { status, body } = await replicas.one.post(path, { id: '1' });
    expect([status, body]).toEqual([201, expect.stringMatching(/^renamed/)]);
    expect(replicas.one.log.count('acquired')).toBe(1);
    await untilFree(replicas.servers);
  });

  it('is held until the outermost is done', async () => {
    replicas.door.shut();
    const reply = replicas.one.post('side-by-side', { id: '1' });
    await replicas.door.untilVisits(2);
    const holding = await holderOn(replicas.servers, 'user:1');
    expect([holding, await holderOn(replicas.servers, 'users')]).toEqual([expect.any(String), expect.any(String)]);
    replicas.door.open();
    await reply;
    await untilFree(replicas.servers);
  });

  it.each([
    ['the same replica', () => replicas.one],
    ['another replica', () => replicas.two],
  ])('is never shared by two requests: to %s', async (_case, other) => {
    replicas.door.shut();
    const first = replicas.one.post('locked-method', { id: '1' });
    await replicas.door.untilVisits(1);
    const second = other().post('with-lock', { id: '1' });
    await other().log.until('contended', 'user:1');
    expect(replicas.door.inside).toBe(1);
    replicas.door.open();
    await Promise.all([first, second]);
    expect(replicas.door.most).toBe(1);
  });

  it('is a mistake of the code where an inner one wants more than it has', async () => {
    expect((await replicas.one.post('partly', { id: '1' })).status).toBe(500);
    await untilFree(replicas.servers);
  });
});
