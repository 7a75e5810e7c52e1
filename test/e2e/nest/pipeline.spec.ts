import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  ForbiddenException,
  Inject,
  Injectable,
  Post,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { finalize, map, type Observable } from 'rxjs';
import { endAll } from '../../support/nest/end-all.js';
import { SignUp } from '../../support/nest/message-handlers.js';
import { poolOn } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { Trail } from '../../support/nest/trail.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

function tracing(name: string): new (trail: Trail) => NestInterceptor {
  @Injectable()
  class Tracing implements NestInterceptor {
    constructor(@Inject(Trail) private readonly trail: Trail) {}

    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      this.trail.steps.push(`${name} in`);
      return next.handle().pipe(
        map((value) => `${String(value)}, ${name}`),
        finalize(() => this.trail.steps.push(`${name} out`)),
      );
    }
  }
  return Tracing;
}

const [OnApp, OnController, OnMethod] = [tracing('app'), tracing('controller'), tracing('method')];

@Injectable()
class Guard implements CanActivate {
  constructor(@Inject(Trail) private readonly trail: Trail) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    this.trail.steps.push('guard');
    if (headers['x-banned']) throw new ForbiddenException();
    return true;
  }
}

@Controller()
@UseInterceptors(OnController)
class Users {
  constructor(@Inject(Trail) private readonly trail: Trail) {}

  @Post('by-request')
  @UseInterceptors(OnMethod)
  @WithLock('user:<body.email>')
  @UseGuards(Guard)
  async byRequest(@Body() { email }: SignUp): Promise<string> {
    this.trail.steps.push('handler');
    return email;
  }

  @WithLock('user:<0.email>')
  @UseGuards(Guard)
  @UseInterceptors(OnMethod)
  @Post('by-argument')
  async byArgument(@Body() { email }: SignUp): Promise<string> {
    this.trail.steps.push('handler');
    return email;
  }
}

describe.each(PLATFORMS)('a lock in the pipeline of %s', (platform) => {
  let servers: RedisServer[];
  let app: TestApp;
  let trail: Trail;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = { imports: [poolOn(servers)], controllers: [Users], providers: [Trail, OnApp, Guard] };
    app = await TestApp.start(platform, metadata, (nest) => nest.useGlobalInterceptors(nest.get(OnApp)));
    trail = app.app.get(Trail);
  });

  beforeEach(() => {
    app.log.clear();
    trail.steps.length = 0;
  });

  afterAll(endAll);

  it('comes after the guards', async () => {
    for (const path of ['by-request', 'by-argument']) {
      expect((await app.post(path, { email: 'a@b.example' }, { headers: { 'x-banned': '1' } })).status).toBe(403);
    }
    expect([app.log.acquired, trail.steps]).toEqual([[], ['guard', 'guard']]);
  });

  it('is inside the interceptors of application and controller, and around those of the method', async () => {
    const { body } = await app.post('by-request', { email: 'a@b.example' });
    expect(body).toBe('a@b.example, method, controller, app');
    expect(trail.steps).toEqual([
      'guard',
      'app in',
      'controller in',
      'acquired',
      'method in',
      'handler',
      'method out',
      'released',
      'controller out',
      'app out',
    ]);
  });

  it('is inside all of them where only the argument says by which key', async () => {
    const { body } = await app.post('by-argument', { email: 'a@b.example' });
    expect(body).toBe('a@b.example, method, controller, app');
    expect(trail.steps.slice(3, 7)).toEqual(['method in', 'acquired', 'handler', 'released']);
  });
});
