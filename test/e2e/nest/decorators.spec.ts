import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  HttpCode,
  Inject,
  Injectable,
  Post,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import {
  controllerOf,
  LowerCase,
  RoleGuard,
  Teapot,
  Timing,
  Trail,
  wrapped,
  type Dto,
} from '../../support/nest/trail.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const OTHERS: MethodDecorator[] = [
  UseGuards(RoleGuard),
  wrapped('wrapper', true),
  UsePipes(LowerCase),
  HttpCode(202),
  UseInterceptors(Timing),
  SetMetadata('role', 'admin'),
  UseFilters(Teapot),
];

@Injectable()
class Jobs {
  constructor(@Inject(Trail) readonly trail: Trail) {}

  @wrapped('above', false)
  @WithLock('job:<0.id>')
  @wrapped('below', false)
  async run(_job: Dto): Promise<void> {
    this.trail.steps.push('work');
  }
}

/** Every place among the others, for both kinds of keys, with the route at the top and at the bottom. */
const PLACES = ['<body.id>', '<0.id>'].flatMap((part) =>
  OTHERS.flatMap((_, place) => [
    { path: `top-${place}-${part.includes('body') ? 'request' : 'argument'}`, part, place, top: true },
    { path: `bottom-${place}-${part.includes('body') ? 'request' : 'argument'}`, part, place, top: false },
  ]),
);

const CONTROLLERS = PLACES.map(({ path, part, place, top }) => {
  const decorators = OTHERS.toSpliced(place, 0, WithLock(`user:${part}`));
  return controllerOf(path, top ? [Post(), ...decorators] : [...decorators, Post()]);
});

describe.each(PLATFORMS)('a lock among other decorators on %s', (platform) => {
  let servers: RedisServer[];
  let app: TestApp;
  let trail: Trail;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const careless = wrapped('careless', false);
    const lost = controllerOf('lost', [Post(), careless, WithLock('user:<body.id>')]);
    const argument = controllerOf('argument', [Post(), careless, WithLock('user:<0.id>')]);
    const below = controllerOf('below', [WithLock('user:<body.id>'), Post(), careless]);
    app = await TestApp.start(platform, {
      imports: [poolOn(servers)],
      controllers: [...CONTROLLERS, lost, argument, below],
      providers: [Trail, Jobs],
    });
    trail = app.app.get(Trail);
  });

  beforeEach(() => {
    app.log.clear();
    trail.steps.length = 0;
  });

  afterAll(endAll);

  const admin = { headers: { 'x-role': 'admin' } };

  it.each(PLACES)('leaves all of them at work, and takes its lock once: $path', async ({ path, part }) => {
    const { status, body } = await app.post(path, { id: 'ABC' }, admin);
    expect([status, body]).toEqual([202, 'abc']);
    expect(app.log.acquired).toEqual([part === '<body.id>' ? 'user:ABC' : 'user:abc']);
    const { steps } = trail;
    expect(steps.filter((step) => !/acquired|released/.test(step))).toEqual([
      'guard for admin',
      'interceptor in',
      'pipe',
      'wrapper in',
      'handler',
      'wrapper out',
      'interceptor out',
    ]);
    const context = part === '<body.id>' ? ['interceptor in', 'interceptor out'] : ['handler', 'handler'];
    expect(steps.indexOf('acquired')).toBeLessThan(steps.indexOf(context[0]!));
    expect(steps.indexOf('released')).toBeGreaterThan(steps.indexOf(context[1]!));
  });

  it.each(PLACES)('is not taken where a guard refuses, whose filter answers: $path', async ({ path }) => {
    expect(await app.post(path, { id: 'ABC' })).toMatchObject({ status: 418, body: 'no entry' });
    expect([app.log.acquired, trail.steps]).toEqual([[], ['guard for admin']]);
  });

  it('never runs unlocked below a decorator that loses its metadata: by its arguments, or not at all', async () => {
    expect((await app.post('argument', { id: 'a' })).body).toBe('a');
    expect([app.log.acquired, trail.steps.indexOf('acquired')]).toEqual([['user:a'], 1]);
    trail.steps.length = 0;
    expect(await app.post('lost', { id: '7' })).toMatchObject({ status: 500 });
    expect(trail.steps).not.toContain('handler');
  });

  it('may stand above one that loses metadata', async () => {
    expect((await app.post('below', { id: 'a' })).body).toBe('a');
    expect(app.log.acquired).toEqual(['user:a']);
  });

  it('is around what stands below it, and within what stands above it, on other methods', async () => {
    await app.app.get(Jobs).run({ id: '7' });
    expect(trail.steps).toEqual(['above in', 'acquired', 'below in', 'work', 'below out', 'released', 'above out']);
    await untilFree(servers);
  });
});
