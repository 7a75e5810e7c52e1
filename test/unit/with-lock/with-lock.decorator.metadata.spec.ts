import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  SetMetadata,
  Sse,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type NestInterceptor,
} from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { Cron, Interval } from '@nestjs/schedule';
import type { Observable } from 'rxjs';
import { RedlockInterceptor } from '../../../lib/with-lock/redlock.interceptor.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

class Timing implements NestInterceptor {
  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle();
  }
}

class Filter implements ExceptionFilter {
  catch(): void {}
}

const DECORATORS: [string, MethodDecorator][] = [
  ['@Post', Post('sign-up')],
  ['@Get with several paths', Get(['a', 'b'])],
  ['@Sse', Sse('events')],
  ['@HttpCode', HttpCode(202)],
  ['@Header', Header('x', 'y')],
  ['@SetMetadata', SetMetadata('roles', ['admin'])],
  ['@UseGuards', UseGuards(Guard)],
  ['@UsePipes', UsePipes(ValidationPipe)],
  ['@UseFilters', UseFilters(Filter)],
  ['@Cron', Cron('0 0 1 1 *', { name: 'yearly' })],
  ['@Interval', Interval('often', 1_000)],
  ['@OnEvent', OnEvent('signed-up', { async: true })],
];

type Method = (...args: unknown[]) => unknown;

/** A class with one method, decorated from the lowest decorator to the highest. */
function decorated(...decorators: MethodDecorator[]): { prototype: object; method: Method; keys: unknown[] } {
  class Users {
    create(@Body() _body: unknown, @Param('id') _id: string): void {}
  }
  const apply = Reflect.decorate as (
    decorators: MethodDecorator[],
    target: object,
    name: string,
    descriptor: PropertyDescriptor,
  ) => PropertyDescriptor;
  const descriptor = apply(
    [...decorators].reverse(),
    Users.prototype,
    'create',
    Object.getOwnPropertyDescriptor(Users.prototype, 'create')!,
  );
  Object.defineProperty(Users.prototype, 'create', descriptor);
  const method = Users.prototype.create as Method;
  return { prototype: Users.prototype, method, keys: Reflect.getMetadataKeys(method) };
}

const metadataOf = ({ method }: { method: Method }, keys: unknown[]): unknown[] =>
  keys.map((key) => Reflect.getMetadata(key, method) as unknown);

describe('WithLock beside other decorators', () => {
  it.each(DECORATORS)('keeps all that %s says about the method, above it and below it', (_name, decorator) => {
    const bare = decorated(decorator);
    expect(bare.keys.length).toBeGreaterThan(0);
    for (const both of [decorated(decorator, WithLock('a')), decorated(WithLock('a'), decorator)]) {
      expect(metadataOf(both, bare.keys)).toEqual(metadataOf(bare, bare.keys));
    }
  });

  it('keeps them where many stand above and below', () => {
    const all = DECORATORS.map(([, decorator]) => decorator);
    const bare = decorated(...all);
    const both = decorated(...all.slice(0, 6), WithLock('a'), ...all.slice(6));
    expect(metadataOf(both, bare.keys)).toEqual(metadataOf(bare, bare.keys));
  });

  it('keeps what is said about parameters and types', () => {
    class Users {
      @WithLock('a')
      @Post()
      create(@Body() _body: object, @Param('id') _id: string): Promise<void> {
        return Promise.resolve();
      }
    }
    Controller()(Users);
    const args = Reflect.getMetadata('__routeArguments__', Users, 'create') as object;
    expect(Object.keys(args)).toHaveLength(2);
    expect(Reflect.getMetadata('design:paramtypes', Users.prototype, 'create')).toEqual([Object, String]);
    expect(Reflect.getMetadata('design:returntype', Users.prototype, 'create')).toBe(Promise);
  });

  it.each([
    ['above', [UseInterceptors(Timing), WithLock('a')]],
    ['below', [WithLock('a'), UseInterceptors(Timing)]],
    ['above and below', [UseInterceptors(Timing), WithLock('a'), UseInterceptors(Timing)]],
  ])('stands outside the other interceptors of the method, which are %s', (_case, decorators) => {
    const interceptors = Reflect.getMetadata('__interceptors__', decorated(...decorators).method) as unknown[];
    expect(interceptors[0]).toBe(RedlockInterceptor);
    expect(interceptors.slice(1)).toEqual(Array(decorators.length - 1).fill(Timing));
  });

  it('leaves the metadata of other methods and classes alone', () => {
    const bare = decorated(Get());
    decorated(WithLock('a'), Get());
    expect(Reflect.getMetadata('__interceptors__', bare.method)).toBeUndefined();
  });
});
