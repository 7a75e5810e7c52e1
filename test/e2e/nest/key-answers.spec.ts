import {
  Body,
  Controller,
  Injectable,
  Logger,
  Post,
  UseGuards,
  ValidationPipe,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { IsEmail } from 'class-validator';
import { inspect } from 'node:util';
import { WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { compileKey } from '../../../lib/with-lock/key/lock-key.js';
import { KEY_MESSAGE } from '../../support/nest/key-message.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';

class SignUp {
  @IsEmail()
  readonly email!: string;
}

const RECORD = { id: 7, passwordHash: 'secret-hash' };

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
class Users {
  @Post('function')
  @WithLock(() => RECORD as unknown as string)
  async byFunction(): Promise<void> {}

  @Post('list')
  @WithLock(() => ['a', RECORD as unknown as string])
  async byList(): Promise<void> {}

  @Post('missing')
  @WithLock(({ email }: { email: string }) => email)
  async byMissing(@Body() _body: { email: string }): Promise<void> {}

  @Post('value')
  @WithLock(({ id }: { id: string }) => id)
  async byValue(@Body() _body: { id: string }): Promise<void> {}

  @Post('text')
  @WithLock(({ id }: { id: string }) => `order:${id}`)
  async byTextOf(@Body() _body: { id: string }): Promise<void> {}

  @Post('part')
  @WithLock('internal-name:<body.address.city>')
  async byPart(): Promise<void> {}

  @Post('twice')
  @WithLock(['a:<body.from>', 'a:<body.to>'])
  async byTwo(): Promise<void> {}

  @Post('long')
  @WithLock('a:<body.text>')
  async byText(): Promise<void> {}

  @Post('request')
  @WithLock('user:<body.email>')
  async byRequest(@Body(ValidationPipe) _body: SignUp): Promise<void> {}

  @Post('argument')
  @WithLock('user:<0.email|trim|lower>')
  async byArgument(@Body(ValidationPipe) _body: SignUp): Promise<void> {}

  @Post('unguarded')
  @WithLock('order:<user.id>')
  async unguarded(): Promise<void> {}

  @Post('guarded')
  @UseGuards(Optional)
  @WithLock('order:<user.id>')
  async guarded(): Promise<void> {}
}

/** What the log of Nest is given from now on. */
function spiedLogger() {
  const logger = { debug: jest.fn(), log: jest.fn(), warn: jest.fn(), error: jest.fn() };
  Logger.overrideLogger(logger);
  return logger;
}

const start = (platform: 'Express' | 'Fastify'): Promise<TestApp> =>
  TestApp.start(platform, { imports: [RedlockTestingModule.forRoot()], controllers: [Users] });

describe.each(PLATFORMS)('what a client is told of a key that cannot be made, over %s', (platform) => {
  afterEach(async () => {
    Logger.overrideLogger(false);
    await closeApps();
  });

  it.each([
    ['missing', {}],
    ['missing', { email: '' }],
    ['part', { address: { city: { secret: 'secret-city' } } }],
    ['long', { text: 'secret-text'.repeat(100) }],
  ])('has no value and no template in it: %s', async (path, body) => {
    const app = await start(platform);
    expect((await app.post(path, body)).body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: KEY_MESSAGE,
      code: 'LOCK_KEY',
    });
  });

  it('is in the log without values, for readers that look for it', async () => {
    const app = await start(platform);
    const logger = spiedLogger();
    await app.post('part', { address: { city: ['secret-city'] } });
    await app.post('missing');
    expect(logger.debug.mock.calls.map(([line]) => line)).toEqual([
      expect.stringContaining('body.address.city is not a text, number or boolean, so the key internal-name:<'),
      expect.stringContaining('The key function must return a text, a number or several; it returned undefined'),
    ]);
    expect(inspect([logger.debug, logger.warn, logger.error, logger.log].map(({ mock }) => mock.calls))).not.toMatch(
      /secret/,
    );
    expect([logger.warn.mock.calls, logger.error.mock.calls]).toEqual([[], []]);
  });

  it.each([
    ['function', 'Users.byFunction: The key function must return a text, a number or several; it returned an object'],
    [
      'list',
      'Users.byList: The key function must return a text, a number or several; it returned a list with an object in it',
    ],
  ])('is nothing but a 500 where the key function is wrong, and the log says it once: %s', async (path, said) => {
    const app = await start(platform);
    const logger = spiedLogger();
    expect((await app.post(path)).body).toEqual({ statusCode: 500, message: 'Internal server error' });
    expect(logger.error.mock.calls.map(([error]) => error)).toEqual([expect.any(TypeError)]);
    expect(logger.error.mock.calls[0]![0]).toMatchObject({
      message: `@WithLock on ${said} [REDLOCK_E07]`,
      cause: { value: expect.anything() },
    });
    expect(inspect([logger.debug, logger.warn, logger.error, logger.log].map(({ mock }) => mock.calls))).not.toMatch(
      /secret/,
    );
  });

  it('comes before the ValidationPipe with a key of the request, and after it with one of the arguments', async () => {
    const app = await start(platform);
    expect((await app.post('request', {})).body).toMatchObject({ message: KEY_MESSAGE, code: 'LOCK_KEY' });
    expect(await app.post('argument', {})).toMatchObject({
      status: 400,
      body: { message: ['email must be an email'] },
    });
    expect(app.log.events).toEqual([]);
    expect(await app.post('argument', { email: 'a@b.example' })).toMatchObject({ status: 201 });
  });

  it.each<[string, string | undefined]>([
    ['nobody', 'null'],
    ['nobody, as Passport says it', 'false'],
    ['nothing, which is not there', undefined],
    ['a user whose id is empty', '{ "id": "" }'],
  ])('is that something is missing if the guard has set %s', async (_case, user) => {
    const app = await start(platform);
    expect(await app.post('guarded', {}, { headers: user === undefined ? {} : { 'x-user': user } })).toMatchObject({
      status: 400,
      body: { message: KEY_MESSAGE, code: 'LOCK_KEY' },
    });
  });

  it.each([
    [
      'unguarded',
      '{ "sub": 7 }',
      /^@WithLock on Users\.unguarded: .* no guard has set request\.user\. .*null.*key function/,
    ],
    [
      'guarded',
      '{ "sub": 7 }',
      /^@WithLock on Users\.guarded: user\.id is missing: the user that the guard has set has no such property \[REDLOCK_E07\]$/,
    ],
    [
      'guarded',
      '{ "id": { "bytes": [7] } }',
      /^@WithLock on Users\.guarded: user\.id is not a text, number or boolean, .* Write a property that is a string, .*\[REDLOCK_E07\]$/,
    ],
  ])(
    'is nothing but a 500 if no client can correct the user, and the log says it once: %s %s',
    async (path, user, said) => {
      const app = await start(platform);
      const logger = spiedLogger();
      const reply = await app.post(path, {}, { headers: { 'x-user': user } });
      expect(reply.body).toEqual({ statusCode: 500, message: 'Internal server error' });
      expect(logger.error.mock.calls.map(([error]) => error)).toEqual([expect.any(TypeError)]);
      expect((logger.error.mock.calls[0]![0] as Error).message).toMatch(said);
      expect([logger.debug.mock.calls, logger.warn.mock.calls]).toEqual([[], []]);
    },
  );

  it('is nothing if the guard has set a user', async () => {
    const app = await start(platform);
    expect(await app.post('guarded', {}, { headers: { 'x-user': '{ "id": 7 }' } })).toMatchObject({ status: 201 });
    expect(app.log.acquired).toEqual(['order:7']);
  });
});

describe('a key function that hands on a value of the client', () => {
  afterEach(closeApps);

  it('takes a lock on each of a list, unless it makes one text of the value', async () => {
    const app = await start('Express');
    for (const path of ['value', 'text']) await app.post(path, { id: ['a', 'b'] });
    const acquired = app.log.events.filter(({ type }) => type === 'acquired');
    expect(acquired).toMatchObject([{ resources: ['a', 'b'] }, { resources: ['order:a,b'] }]);
  });
});

describe('the error of a key function', () => {
  const errorOf = (result: unknown): Error => {
    try {
      compileKey(() => result as string).resolve({ args: [] });
    } catch (error) {
      return error as Error;
    }
    throw new Error('it is a key');
  };

  it.each([
    ['an object', RECORD],
    ['a list with an object in it', ['a', RECORD]],
    ['a promise', Promise.resolve('secret')],
    ['a function', () => 'secret'],
    ['a symbol', Symbol('secret')],
    ['an empty list', []],
    ['a list with undefined in it', ['secret', undefined]],
    ['undefined', undefined],
    ['NaN', NaN],
    ['an empty text', ''],
  ])('says that it returned %s, has that in its cause, and prints nothing of it', (kind, result) => {
    const error = errorOf(result);
    const text = `The key function must return a text, a number or several; it returned ${kind}`;
    // A mistake of the function has a code; what a client has left out is an error of the lock.
    expect(error.message).toBe(error instanceof TypeError ? `${text} [REDLOCK_E07]` : text);
    expect((error.cause as { value: unknown }).value).toBe(result);
    expect(inspect(error, { showHidden: true }) + JSON.stringify(error)).not.toMatch(/secret/);
  });
});
