import {
  Controller,
  Get,
  Module,
  Post,
  Version,
  VersioningType,
  type ControllerOptions,
  type INestApplication,
  type ModuleMetadata,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WithLock, type LockKey } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';

type Configure = (app: INestApplication) => unknown;

interface Route {
  readonly key?: LockKey;
  readonly controller?: string | string[] | ControllerOptions;
}

/** A controller with one locked method, at these paths. */
function users(
  path: string | string[],
  { key = 'user:<params.userId>', controller = '' }: Route = {},
): new () => object {
  class Users {
    @Get(path)
    @WithLock(key)
    async show(): Promise<void> {}
  }
  Controller(controller as string)(Users);
  return Users;
}

describe.each(['Express', 'Fastify'])('a parameter that a key reads from the route, over %s', (platform) => {
  let app: INestApplication | undefined;

  async function start(metadata: ModuleMetadata, configure: Configure = () => undefined): Promise<unknown> {
    const imports = [RedlockTestingModule.forRoot({ isGlobal: true }), ...(metadata.imports ?? [])];
    const module = await Test.createTestingModule({ ...metadata, imports }).compile();
    module.useLogger(false);
    app = platform === 'Fastify' ? module.createNestApplication(new FastifyAdapter()) : module.createNestApplication();
    configure(app);
    return app.init();
  }

  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it.each<[string, string | string[], Route, string]>([
    ['another name', ':id', {}, '<params.userId> is on no route of this method; there is <params.id>.'],
    [
      'no parameter',
      'me',
      {},
      '<params.userId> is on no route of this method; its path has no parameters, so write :userId there.',
    ],
    ['two other names', ':tenant/:id', {}, 'there is <params.tenant>, <params.id>.'],
    ['none of several paths', ['a/:id', 'b'], {}, 'there is <params.id>.'],
    ['a controller with another one', ':id', { controller: 'of/:tenant' }, 'there is <params.tenant>, <params.id>.'],
    ['a host with it', ':id', { controller: { host: ':userId.example', path: 'users' } }, 'there is <params.id>.'],
    ['the wrong case', ':userID', {}, 'there is <params.userID>.'],
    ['another step below it', ':userId', { key: 'user:<params.userId.id>' }, '<params.userId.id> is on no route'],
    [
      'one of several keys',
      ':id',
      { key: ['a:<params.id>', 'b:<params.userId|lower>'] },
      '<params.userId> is on no route',
    ],
  ])('stops the start where it is not there: %s', async (_case, path, route, message) => {
    const starting = start({ controllers: [users(path, route)] });
    await expect(starting).rejects.toThrow(TypeError);
    await expect(starting).rejects.toThrow(`@WithLock on Users.show: `);
    await expect(starting).rejects.toThrow(message);
  });

  it('does so whatever prefix and versions there are, and names the heir of the method', async () => {
    const configure: Configure = (one) => one.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI });
    class Users extends users(':id') {}
    Controller({ path: 'users', version: ['1', '2'] })(Users);
    await expect(start({ controllers: [Users] }, configure)).rejects.toThrow(
      '@WithLock on Users.show: <params.userId>',
    );
    class Heirs extends Users {}
    Controller('heirs')(Heirs);
    await expect(start({ controllers: [Heirs] })).rejects.toThrow(
      '@WithLock on Users.show (of Heirs): <params.userId>',
    );
  });

  it.each<[string, string | string[], Route]>([
    ['of the method', ':userId', {}],
    ['among others', 'of/:tenant/:userId-:part', {}],
    ['of one of several paths', ['a', 'b/:userId'], {}],
    ['of the controller', ':id', { controller: ':userId' }],
    ['of one of several controllers', '', { controller: ['a', 'b/:userId'] }],
  ])('is found where it is one %s', async (_case, path, route) => {
    await expect(start({ controllers: [users(path, route)] })).resolves.toBeDefined();
  });

  it('is found in a prefix of the application, of a module, and of a version', async () => {
    const controllers = [users('me')];
    await start({ controllers }, (one) => one.setGlobalPrefix('of/:userId'));
    await app?.close();
    @Module({ controllers })
    class Inner {}
    await start({ imports: [Inner, RouterModule.register([{ path: 'of/:userId', module: Inner }])] });
    await app?.close();
    await start({ controllers }, (one) =>
      one.enableVersioning({ type: VersioningType.URI, prefix: ':userId/v', defaultVersion: '1' }),
    );
    await app?.close();
    class Versioned {
      @Version(':userId')
      @Post()
      @WithLock('user:<params.userId>')
      async create(): Promise<void> {}
    }
    Controller()(Versioned);
    await start({ controllers: [Versioned] }, (one) =>
      one.enableVersioning({ type: VersioningType.URI, prefix: false }),
    );
  });

  it('is not looked for where nobody can say what there is: a wildcard', async () => {
    await expect(start({ controllers: [users('files/*')] })).resolves.toBeDefined();
  });

  it('is not looked for in messages, and not where nothing is served', async () => {
    class Both {
      @MessagePattern('both')
      @WithLock('user:<user.id>')
      async both(): Promise<void> {}
    }
    Controller()(Both);
    await expect(start({ controllers: [Both] })).resolves.toBeDefined();
    const module = await Test.createTestingModule({
      imports: [RedlockTestingModule.forRoot()],
      controllers: [users(':id')],
    }).compile();
    module.useLogger(false);
    await expect(module.init()).resolves.toBeDefined();
    await module.close();
  });
});

it('is not looked for in a regular expression of Fastify', async () => {
  const imports = [RedlockTestingModule.forRoot()];
  const module = await Test.createTestingModule({ imports, controllers: [users(':userId(^\\d+$)')] }).compile();
  module.useLogger(false);
  const app = module.createNestApplication(new FastifyAdapter());
  await expect(app.init()).resolves.toBeDefined();
  await app.close();
});
