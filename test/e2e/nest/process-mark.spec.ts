import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  @Get('order')
  @WithLock('order', { onContended: 'reject' })
  async order(): Promise<string> {
    return 'done';
  }
}

let servers: RedisServer[];

beforeAll(async () => {
  servers = await startRedisServers(3);
});

afterAll(endAll);

const start = (options: PoolOptions = {}): Promise<TestApp> =>
  TestApp.start('Express', { imports: [poolOn(servers, options)], controllers: [Orders] });

const onEach = <T>(ask: Parameters<typeof withRedis<T>>[1]): Promise<T[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, ask)));

/** What the process says on each node whose values begin with this mark, and how long it stays. */
const notes = (mark: string, prefix = 'lock:'): Promise<[string | null, number][]> => {
  const key = `${prefix}~process:${mark}`;
  return onEach(async (redis) => [await redis.get(key), await redis.pttl(key)]);
};

describe('the mark of a process', () => {
  it('begins each value of its locks, and leads on each node to what the process says about itself', async () => {
    const app = await start({ application: 'orders', maxTtl: 30_000 });
    const locks = await Promise.all(['a', 'b'].map((name) => app.redlock.acquire(name)));
    const marks = locks.map(({ value }) => value.slice(0, 6));
    expect(new Set(marks).size).toBe(1);
    expect(locks.map(({ value }) => value)).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{27}$/)));
    await eventually(async () => {
      for (const [note, left] of await notes(marks[0]!)) {
        expect(JSON.parse(note!)).toMatchObject({ host: hostname(), pid: process.pid, application: 'orders' });
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(60_000);
      }
    });
    await Promise.all(locks.map((lock) => lock.release()));
    await app.close();
  });

  it('differs from application to application, and their connections are named after them', async () => {
    const [orders, bills] = await Promise.all([start({ application: 'orders' }), start({ application: 'the bills' })]);
    const [one, two] = [await orders.redlock.acquire('a'), await bills.redlock.acquire('b')];
    expect(one.value.slice(0, 6)).not.toBe(two.value.slice(0, 6));
    for (const clients of await onEach((redis) => redis.client('LIST'))) {
      expect(clients).toMatch(/ name=nestjs-redlock:orders /);
      expect(clients).toMatch(/ name=nestjs-redlock:the-bills /);
    }
    await Promise.all([one.release(), two.release(), orders.close(), bills.close()]);
  });

  it('is in the cause of the error of a caller that does not get the lock, and not in what a client is told', async () => {
    const [holder, app] = await Promise.all([start(), start()]);
    const lock = await holder.redlock.acquire('order');
    const mark = lock.value.slice(0, 6);
    const error: unknown = await app.redlock.acquire('order', { waitTimeout: 0 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'RESOURCE_LOCKED', cause: { holder: mark } });
    const reply = await app.get('order');
    expect(reply.status).toBe(409);
    const told = JSON.stringify(reply.body);
    for (const secret of [mark, hostname(), `${process.pid}`]) expect(told).not.toContain(secret);
    await Promise.all([lock.release(), holder.close(), app.close()]);
  });

  it('is there without the note, and without a name, where the user of the nodes may not leave them', async () => {
    const keys = ['~lock:a*', '~lock:~node', '~lock:~waiting', '~lock:~fence', '&*', '+@all', '-client|setname'];
    await onEach((redis) => redis.acl('SETUSER', 'narrow', 'on', '>secret', 'resetkeys', ...keys));
    const nodes = servers.map(({ url }) => url.replace('//', '//narrow:secret@'));
    const app = await TestApp.start('Express', {
      imports: [RedlockModule.forRoot({ nodes, restartQuarantine: false, nodeTimeout: 3_000, application: 'narrow' })],
    });
    const lock = await app.redlock.acquire('a');
    await lock.extend();
    await lock.release();
    expect((await notes(lock.value.slice(0, 6))).map(([note]) => note)).toEqual([null, null, null]);
    expect(app.log.events.map(({ type }) => type)).not.toContain('node-refused');
    for (const clients of await onEach((redis) => redis.client('LIST'))) expect(clients).not.toContain(':narrow');
    await app.close();
  });

  it('needs no rights beyond those that the documentation lists', async () => {
    const text = readFileSync('docs/waiting.md', 'utf8');
    const rights = /ACL SETUSER locks (.*?)```/s.exec(text)![1]!.trim().split(/\s+/);
    await onEach((redis) => redis.acl('SETUSER', 'locks', ...rights));
    await onEach((redis) => redis.acl('LOG', 'RESET'));
    const nodes = servers.map(({ url }) => url.replace('//', '//locks:secret@'));
    const app = await TestApp.start('Express', {
      imports: [RedlockModule.forRoot({ nodes, restartQuarantine: false, nodeTimeout: 3_000, application: 'minimal' })],
    });
    const lock = await app.redlock.acquire('a');
    await eventually(async () => {
      const left = await notes(lock.value.slice(0, 6));
      expect(left.every(([note]) => note !== null)).toBe(true);
    });
    for (const clients of await onEach((redis) => redis.client('LIST'))) expect(clients).toContain(':minimal ');
    expect(await onEach((redis) => redis.acl('LOG'))).toEqual([[], [], []]);
    await lock.release();
    await app.close();
  });
});
