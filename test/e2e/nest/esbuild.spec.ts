import { describe, expect, it } from '@jest/globals';
import { outputOfEsbuild } from '../../support/nest/esbuild-output.js';

const SERVICE = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { from, isObservable, lastValueFrom, of, switchMap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';

class Prices {
  @WithLock('prices:<0>')
  stream(count: number): Observable<number> {
    return of(...Array(count).keys());
  }

  @WithLock('price:<0>')
  find(id: string): Promise<string> {
    return Promise.resolve(id);
  }
}

@Module({ imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })], providers: [Prices] })
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const prices = app.get(Prices);
const read = (stream) => lastValueFrom(stream.pipe(toArray()));
const first = await read(prices.stream(3));
const inFlight = await read(of(2).pipe(switchMap((count) => prices.stream(count))));
const later = prices.stream(1);
const found = [await prices.find('a'), await lastValueFrom(from(prices.find('b')))];
console.log(JSON.stringify({ first, inFlight, isObservable: isObservable(later), later: await read(later), found }));
await app.close();
`;

const INJECTING = `
import 'reflect-metadata';
import { Controller, Module, Param, Post, UseInterceptors } from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RedlockModule, RedlockService, WithLock } from 'nestjs-redlock';

const statuses: number[] = [];
let app;

class Injecting {
  async intercept(context, next) {
    const inner = context.switchToHttp().getRequest().headers['x-inner'];
    if (inner) statuses.push((await app.inject({ method: 'POST', url: '/' + inner })).statusCode);
    return next.handle();
  }
}

@Controller()
class Accounts {
  @Post(':id')
  @UseInterceptors(Injecting)
  @WithLock('account:<params.id>', { waitTimeout: 300 })
  async transfer(@Param('id') id: string): Promise<void> {}
}

@Module({ imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true })], controllers: [Accounts] })
class AppModule {}

app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: false });
await app.init();
const acquired: string[] = [];
app.get(RedlockService).events$.subscribe((event) => event.type === 'acquired' && acquired.push(...event.resources));
for (const inner of ['2', '1'])
  statuses.push((await app.inject({ method: 'POST', url: '/1', headers: { 'x-inner': inner } })).statusCode);
console.log(JSON.stringify({ statuses, acquired }));
await app.close();
`;

describe('an application that is bundled by esbuild', () => {
  it('gets an Observable from a locked method that returns one', async () => {
    await expect(outputOfEsbuild(SERVICE)).resolves.toEqual({
      first: [0, 1, 2],
      inFlight: [0, 1],
      isObservable: true,
      later: [0],
      found: ['a', 'b'],
    });
  });

  it('takes a lock for every request of inject(), also within the lock of the same route', async () => {
    await expect(outputOfEsbuild(INJECTING)).resolves.toEqual({
      statuses: [201, 201, 409, 201],
      acquired: ['account:1', 'account:2', 'account:1'],
    });
  });
});
