import { Controller, Next, Post, Res, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WithLock, type WithLockOptions } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { wrapped } from '../../support/nest/trail.js';

type Mode = WithLockOptions['onContended'];

/** A controller whose method has one parameter that this decorates. */
function users(parameter: ParameterDecorator, onContended: Mode): new () => object {
  @Controller()
  class Users {
    @Post()
    @WithLock('users', { onContended })
    async register(@parameter _answer: unknown): Promise<void> {}
  }
  return class Heir extends Users {};
}

/** Its methods are functions that another decorator put in their place, above the lock or below it. */
@Controller()
class Above {
  @Post()
  @wrapped('above', true)
  @WithLock('users', { onContended: 'skip' })
  async register(@Res() _answer: unknown): Promise<void> {}
}

@Controller()
class Below {
  @Post()
  @WithLock('users', { onContended: 'join' })
  @wrapped('below', true)
  async register(@Res() _answer: unknown): Promise<void> {}
}

describe('a locked method that answers itself', () => {
  let app: INestApplication | undefined;
  const start = async (controller: new () => object): Promise<unknown> => {
    const parts = { imports: [RedlockTestingModule.forRoot({ isGlobal: true })], controllers: [controller] };
    app = (await Test.createTestingModule(parts).compile()).createNestApplication();
    return app.init();
  };

  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it.each<[Mode, string, ParameterDecorator]>([
    ['skip', '@Res()', Res()],
    ['join', '@Res()', Res()],
    ['skip', '@Next()', Next()],
  ])('is refused at the start where clients would get no answer: %s and %s', async (mode, _name, parameter) => {
    await expect(start(users(parameter, mode))).rejects.toThrow(
      new RegExp(
        `^@WithLock on Users\\.register \\(of Heir\\): onContended: '${mode}' leaves clients without an answer`,
      ),
    );
  });

  it.each([
    ['above', Above],
    ['below', Below],
  ])(
    'is refused also where a decorator %s the lock has replaced it by a function with another name',
    async (_where, type) => {
      await expect(start(type)).rejects.toThrow(`@WithLock on ${type.name}.register: onContended`);
    },
  );

  it.each<[Mode, string, ParameterDecorator]>([
    ['wait', '@Res()', Res()],
    ['reject', '@Res()', Res()],
    ['skip', '@Res({ passthrough: true })', Res({ passthrough: true })],
    ['join', '@Res({ passthrough: true })', Res({ passthrough: true })],
  ])('starts when every client gets an answer: %s and %s', async (mode, _name, parameter) => {
    await expect(start(users(parameter, mode))).resolves.toBeDefined();
  });
});
