import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BadRequestException,
  Body,
  Controller,
  Inject,
  Injectable,
  Post,
  ValidationPipe,
  type PipeTransform,
} from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { counterOf } from '../../../lib/engine/fencing.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { SignUp } from '../../support/nest/message-handlers.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

/** A pipe of one parameter: takes its time, trims, and refuses what is no address. */
@Injectable()
class AddressPipe implements PipeTransform<unknown> {
  constructor(@Inject(Door) private readonly door: Door) {}

  async transform(value: unknown): Promise<string> {
    await this.door.pass('pipe');
    if (typeof value !== 'string' || !value.includes('@')) throw new BadRequestException();
    return value.trim();
  }
}

@Controller()
class Users {
  @Post('raw')
  @WithLock('user:<body.email>')
  async raw(@Body() { email }: SignUp): Promise<string> {
    return email;
  }

  @Post('argument')
  @WithLock('user:<args.0.email>')
  async argument(@Body() { email }: SignUp): Promise<string> {
    return email;
  }

  @WithLock('user:<0.email>')
  @Post('short')
  async short(@Body() { email }: SignUp): Promise<string> {
    return email;
  }

  @Post('function')
  @WithLock(({ email }: SignUp) => `user:${email}`)
  async function(@Body() { email }: SignUp): Promise<string> {
    return email;
  }

  @Post('both')
  @WithLock('user:<body.email|trim>:<0.email>')
  async both(@Body() { email }: SignUp): Promise<string> {
    return email;
  }

  @Post('raw-part')
  @WithLock('user:<body.email>')
  async rawPart(@Body('email', AddressPipe) _email: string, @CurrentLock() lock: Lock): Promise<readonly string[]> {
    return lock.resources;
  }

  @Post('part')
  @WithLock('user:<0>')
  async part(
    @Body('email', AddressPipe) _email: string,
    @CurrentLock() lock?: Lock,
  ): Promise<readonly string[] | undefined> {
    return lock?.resources;
  }
}

const AFTER = ['argument', 'short', 'function', 'both', 'part'];

describe.each(PLATFORMS)('a lock and the pipes of %s', (platform) => {
  const door = new Door();
  let servers: RedisServer[];
  let app: TestApp;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const providers = [AddressPipe, { provide: Door, useValue: door }];
    app = await TestApp.start(platform, { imports: [poolOn(servers)], controllers: [Users], providers }, (nest) =>
      nest.useGlobalPipes(new ValidationPipe({ transform: true })),
    );
  });

  beforeEach(() => {
    door.reset();
    app.log.clear();
  });

  afterAll(endAll);

  it.each([
    ['raw', 'user: A@B.example '],
    ['argument', 'user:a@b.example'],
    ['short', 'user:a@b.example'],
    ['function', 'user:a@b.example'],
    ['both', 'user:A@B.example:a@b.example'],
  ])('comes of the input as it was, or as a pipe made it: %s', async (path, resource) => {
    expect(await app.post(path, { email: ' A@B.example ' })).toMatchObject({ status: 201, body: 'a@b.example' });
    expect(app.log.acquired).toEqual([resource]);
  });

  it.each([
    ['raw-part', 'user: a@b ', 1],
    ['part', 'user:a@b', 0],
  ])('is taken before or after the pipes of a parameter: %s', async (path, resource, held) => {
    door.shut();
    const reply = app.post(path, { email: ' a@b ' });
    await door.untilVisits(1);
    expect(app.log.count('acquired')).toBe(held);
    door.open();
    expect((await reply).body).toEqual([resource]);
  });

  // A lock that was ever there leaves its fencing counter behind.
  it('leaves nothing at all on the nodes where pipes refuse what it would have been made of', async () => {
    const counter = counterOf('user:refused');
    const count = (url: string): Promise<string | null> =>
      withRedis(url, (redis) => redis.hget('lock:~fence', counter));
    const counts = (): Promise<(string | null)[]> => Promise.all(servers.map(({ url }) => count(url)));
    const keys = (url: string): Promise<string[]> => withRedis(url, (redis) => redis.keys('*refused*'));
    const before = await counts();
    for (const path of AFTER) expect((await app.post(path, { email: 'refused' })).status).toBe(400);
    expect([await counts(), app.log.acquired]).toEqual([before, []]);
    expect((await Promise.all(servers.map(({ url }) => keys(url)))).flat()).toEqual([]);
    expect((await app.post('raw', { email: 'refused' })).status).toBe(400);
    await untilFree(servers);
    expect(app.log.acquired).toEqual(['user:refused']);
    expect((await counts()).filter((after, nodeIndex) => after === before[nodeIndex])).toEqual([]);
  });
});
