import {
  Controller,
  Injectable,
  Logger,
  Post,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { KEY_MESSAGE } from '../../support/nest/key-message.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

/** Sets the user that the header says, and lets every request in. */
@Injectable()
class Optional implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: unknown }>();
    const user = request.headers['x-user'];
    request.user = user === undefined ? undefined : JSON.parse(user);
    return true;
  }
}

@Controller()
class Orders {
  @Post('unguarded')
  @WithLock('order:<user.id>')
  async unguarded(): Promise<void> {}

  @Post('guarded')
  @UseGuards(Optional)
  @WithLock('order:<user.id>')
  async guarded(): Promise<void> {}
}

describe.each(PLATFORMS)('a lock by the user, over %s', (platform) => {
  const start = (): Promise<TestApp> =>
    TestApp.start(platform, { imports: [RedlockTestingModule.forRoot()], controllers: [Orders] });

  afterEach(async () => {
    Logger.overrideLogger(false);
    await closeApps();
  });

  it('is a mistake of the programmer where no guard sets one, and the log says so', async () => {
    const app = await start();
    const logger = { debug: jest.fn(), log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    Logger.overrideLogger(logger);
    expect((await app.post('unguarded')).body).toEqual({ statusCode: 500, message: 'Internal server error' });
    expect(logger.error.mock.calls.map(([error]) => error)).toEqual([expect.any(TypeError)]);
    expect((logger.error.mock.calls[0]![0] as Error).message).toMatch(
      /^@WithLock on Orders\.unguarded: .* no guard has set request\.user\. .*null.*key function/,
    );
    expect([logger.debug.mock.calls, logger.warn.mock.calls]).toEqual([[], []]);
  });

  it.each<[string, string | undefined]>([
    ['nobody', 'null'],
    ['nobody, as Passport says it', 'false'],
    ['nothing, which is not there', undefined],
    ['a user whose id is empty', '{ "id": "" }'],
  ])('tells the client that something is missing where the guard has set %s', async (_case, user) => {
    const app = await start();
    expect(await app.post('guarded', {}, { headers: user === undefined ? {} : { 'x-user': user } })).toMatchObject({
      status: 400,
      body: { message: KEY_MESSAGE, code: 'LOCK_KEY' },
    });
  });

  it('is a mistake of the programmer if the user that the guard has set has no such property [REDLOCK_E07]', async () => {
    const app = await start();
    const logger = { debug: jest.fn(), log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    Logger.overrideLogger(logger);
    const reply = await app.post('guarded', {}, { headers: { 'x-user': '{ "sub": 7 }' } });
    expect(reply.body).toEqual({ statusCode: 500, message: 'Internal server error' });
    expect((logger.error.mock.calls[0]![0] as Error).message).toBe(
      '@WithLock on Orders.guarded: user.id is missing: the user that the guard has set has no such property [REDLOCK_E07]',
    );
  });

  it('is taken where there is one', async () => {
    const app = await start();
    expect(await app.post('guarded', {}, { headers: { 'x-user': '{ "id": 7 }' } })).toMatchObject({ status: 201 });
  });
});
