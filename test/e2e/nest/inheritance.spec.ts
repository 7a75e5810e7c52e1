import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Post } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

abstract class Crud {
  abstract readonly kind: string;

  @Post('create')
  @WithLock('item:<body.id>')
  async create(@Body('id') id: string, @CurrentLock() lock?: Lock): Promise<string> {
    return `${this.kind} ${id} under ${lock?.resources[0]}`;
  }

  @Post('update')
  @WithLock('item:<0>', { reentrant: true })
  async update(@Body('id') id: string): Promise<string> {
    return `${this.kind} ${id}`;
  }

  @WithLock('base:<0>')
  protected async store(id: string): Promise<string> {
    return `stored ${id}`;
  }
}

@Controller('users')
class Users extends Crud {
  readonly kind = 'user';

  @Post('save')
  @WithLock('user:<0>')
  async save(@Body('id') id: string): Promise<string> {
    return this.store(id);
  }
}

@Controller('orders')
class Orders extends Crud {
  readonly kind = 'order';

  @Post('create')
  @WithLock('order:<body.id>')
  override async create(@Body('id') id: string, @CurrentLock() lock?: Lock): Promise<string> {
    return `mine ${id} under ${lock?.resources[0]}`;
  }

  @Post('update')
  override async update(@Body('id') id: string): Promise<string> {
    return `${await super.update(id)}, updated`;
  }
}

@Controller('notes')
class Notes extends Crud {
  readonly kind = 'note';

  @Post('create')
  override async create(@Body('id') id: string): Promise<string> {
    return `unlocked ${id}`;
  }

  @Post('update')
  @WithLock('item:<0>')
  override async update(@Body('id') id: string): Promise<string> {
    return `${await super.update(id)}, inside`;
  }
}

@Injectable()
class Jobs extends Crud {
  readonly kind = 'job';
}

@Injectable()
class MoreJobs extends Jobs {
  constructor(@Inject(Jobs) readonly others: Jobs) {
    super();
  }

  @WithLock('more:<0>')
  async more(id: string): Promise<string[]> {
    return Promise.all([this.store(id), this.others.update(id)]);
  }
}

describe.each(PLATFORMS)('inherited locks on %s', (platform) => {
  let servers: RedisServer[];
  let app: TestApp;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = { imports: [poolOn(servers)], controllers: [Users, Orders, Notes], providers: [Jobs, MoreJobs] };
    app = await TestApp.start(platform, metadata);
  });

  beforeEach(() => app.log.clear());

  afterAll(endAll);

  it.each([
    ['users/create', 'user 7 under item:7', ['item:7']],
    ['users/update', 'user 7', ['item:7']],
    ['users/save', 'stored 7', ['user:7', 'base:7']],
    ['orders/update', 'order 7, updated', ['item:7']],
    ['notes/update', 'note 7, inside', ['item:7']],
    ['notes/create', 'unlocked 7', []],
  ])('are those of the method that runs: %s', async (path, answer, resources) => {
    expect(await app.post(path, { id: '7' })).toMatchObject({ status: 201, body: answer });
    expect(app.log.acquired).toEqual(resources);
  });

  it('do not hold for a method with a lock of its own', async () => {
    expect((await app.post('orders/create', { id: '7' })).body).toBe('mine 7 under order:7');
    expect(app.log.acquired).toEqual(['order:7']);
  });

  it('are taken by providers, also by those that inherit twice', async () => {
    await expect(app.app.get(Jobs).update('7')).resolves.toBe('job 7');
    await expect(app.app.get(MoreJobs).more('8')).resolves.toEqual(['stored 8', 'job 8']);
    expect(app.log.acquired.sort()).toEqual(['base:8', 'item:7', 'item:8', 'more:8']);
  });
});
