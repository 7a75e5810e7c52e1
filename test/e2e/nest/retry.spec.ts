import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Post,
  ServiceUnavailableException,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { retry, type Observable } from 'rxjs';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

class Retrying implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(retry(2));
  }
}

let attempts = 0;

/** Fails at the first attempt. */
function register(): string {
  attempts += 1;
  if (attempts === 1) throw new ServiceUnavailableException();
  return `attempt ${attempts}`;
}

@Controller()
class Users {
  @Post('reentrant')
  @UseInterceptors(Retrying)
  @WithLock('users', { waitTimeout: 200, reentrant: true })
  async reentrant(): Promise<string> {
    return register();
  }

  @Post('plain')
  @UseInterceptors(Retrying)
  @WithLock('users', { waitTimeout: 200 })
  async plain(): Promise<string> {
    return register();
  }

  @Post('argument')
  @UseInterceptors(Retrying)
  @WithLock('user:<0>', { waitTimeout: 200 })
  async argument(@Body('id') _id: number): Promise<string> {
    return register();
  }
}

describe.each(PLATFORMS)('An interceptor of a locked method that calls the handler again, on %s', (platform) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start(platform, {
      imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })],
      controllers: [Users],
    });
  });
  afterAll(closeApps);

  beforeEach(() => {
    attempts = 0;
    app.log.clear();
  });

  it.each(['plain', 'reentrant'])('runs it again under the lock of the request: %s', async (path) => {
    expect(await app.post(path)).toMatchObject({ status: 201, body: 'attempt 2' });
    expect([app.log.acquired, app.log.count('self-contended')]).toEqual([['users'], 0]);
  });

  it('runs it again under the lock of its argument', async () => {
    expect(await app.post('argument', { id: 1 })).toMatchObject({ status: 201, body: 'attempt 2' });
    expect(app.log.acquired).toEqual(['user:1', 'user:1']);
  });
});
