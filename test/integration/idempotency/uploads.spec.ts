import { Controller, Logger, Post, UploadedFile, UseInterceptors } from '@nestjs/common';
import { afterAll, expect, it } from '@jest/globals';
import { FileInterceptor } from '@nestjs/platform-express';
import { Idempotent, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { Test } from '@nestjs/testing';
import { RedlockModule } from 'nestjs-redlock';
import { closeApps, TestApp } from '../../support/nest/test-app.js';

let runs = 0;
const imports = [
  RedlockModule.forRoot({ nodes: [], enabled: false, isGlobal: true }),
  RedlockIdempotencyModule.forRoot({ isGlobal: true }),
];

@Controller()
class Orders {
  @Post()
  @Idempotent({ public: true })
  async pay(): Promise<object> {
    return { paid: true };
  }
}

@Controller()
class Pictures {
  @Post()
  @UseInterceptors(FileInterceptor('picture'))
  @Idempotent({ public: true })
  async store(@UploadedFile() file: { readonly size: number }): Promise<object> {
    runs += 1;
    return { size: file.size };
  }
}

afterAll(closeApps);

it('compares uploads by their digest, or by their length, and warns', async () => {
  const { url } = await TestApp.start('Express', { imports, controllers: [Pictures] });
  const lines: unknown[] = [];
  Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (line: unknown) => lines.push(line) });
  const upload = async (key: string, content: string, headers = {}): Promise<unknown[]> => {
    const body = new FormData();
    body.append('picture', new Blob([content]));
    const reply = await fetch(url, { method: 'POST', body, headers: { 'idempotency-key': key, ...headers } });
    return [reply.status, reply.headers.get('idempotent-replayed')];
  };
  expect(await upload('a', 'one')).toEqual([201, null]);
  expect(await upload('a', 'one')).toEqual([201, 'true']);
  expect(await upload('a', 'longer')).toEqual([422, null]);
  expect(await upload('b', 'one', { 'content-digest': 'sha-256=:1:' })).toEqual([201, null]);
  expect(await upload('b', 'two', { 'content-digest': 'sha-256=:2:' })).toEqual([422, null]);
  expect(runs).toBe(2);
  Logger.overrideLogger(false);
  expect(lines.filter((line) => String(line).includes('nobody has parsed the body yet'))).toHaveLength(1);
});

it('compares JSON in the same way in an application without a parser', async () => {
  const module = await Test.createTestingModule({ imports, controllers: [Orders] }).compile();
  const app = module.createNestApplication({ bodyParser: false, logger: false });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const pay = async (body?: string): Promise<number> => {
    const headers = { 'idempotency-key': body === undefined ? 'none' : 'some', 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, ...(body !== undefined && { body }) })).status;
  };
  const statuses: number[] = [];
  for (const body of ['{"amount":1}', '{"amount":1}', '{"amount":1000}', undefined, undefined])
    statuses.push(await pay(body));
  await app.close();
  expect(statuses).toEqual([201, 201, 422, 201, 201]);
});
