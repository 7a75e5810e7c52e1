import { Controller, Next, Post, Res, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WithLock, type WithLockOptions } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';

type Mode = WithLockOptions['onContended'];

/** A controller whose method has one parameter that this decorates. */
function users(parameter: ParameterDecorator, onContended: Mode): new () => object {
  @Controller()
  class Users {
    @Post()
    @WithLock('users', { onContended })
    register(@parameter _answer: unknown): void {}
  }
  return class Heir extends Users {};
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

  it.each<[Mode, string, ParameterDecorator]>([
    ['wait', '@Res()', Res()],
    ['reject', '@Res()', Res()],
    ['skip', '@Res({ passthrough: true })', Res({ passthrough: true })],
    ['join', '@Res({ passthrough: true })', Res({ passthrough: true })],
  ])('starts when every client gets an answer: %s and %s', async (mode, _name, parameter) => {
    await expect(start(users(parameter, mode))).resolves.toBeDefined();
  });
});
