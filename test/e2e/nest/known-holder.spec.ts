import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Controller, Get } from '@nestjs/common';
import { RedlockModule, WithLock, type ResourceLockedError } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  @Get('order')
  @WithLock('order:42', { onContended: 'reject' })
  async order(): Promise<string> {
    return 'done';
  }
}

/** What is written to the log at the level debug. */
class DebugLog extends ConsoleLogger {
  readonly lines: string[] = [];

  override debug(line: unknown): void {
    this.lines.push(String(line));
  }

  /** Those about refused calls. */
  get refused(): string[] {
    return this.lines.filter((line) => line.startsWith('Refused'));
  }

  /** How many calls they tell of. */
  get calls(): number {
    return this.refused.reduce((sum, line) => sum + Number(/last of (\d+) more/.exec(line)?.[1] ?? 1), 0);
  }
}

let servers: RedisServer[];
let holder: TestApp;

const start = (options: PoolOptions, logger?: DebugLog): Promise<TestApp> => {
  const metadata = { imports: [poolOn(servers, options)], controllers: [Orders] };
  return TestApp.start('Express', metadata, (nest) => {
    if (logger) nest.useLogger(logger);
  });
};

const refusedBy = (app: TestApp, resource: string, waitTimeout = 0): Promise<ResourceLockedError> =>
  app.redlock.acquire(resource, { waitTimeout }).then(
    () => Promise.reject(new Error('it has the lock')),
    (error: ResourceLockedError) => error,
  );

beforeAll(async () => {
  servers = await startRedisServers(3);
  holder = await start({ application: 'the-holder' });
});

afterAll(endAll);

const MARK = `the-holder@${hostname()}#${process.pid}`;
const HOLDER = { holder: MARK, process: { application: 'the-holder', host: hostname(), pid: process.pid } };

const onEach = <T>(ask: Parameters<typeof withRedis<T>>[1]): Promise<T[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, ask)));

describe('the holder of a lock', () => {
  it('stands at the beginning of each of its values, which are never the same', async () => {
    const locks = await Promise.all(['a', 'b'].map((name) => holder.redlock.acquire(name)));
    const [one, other] = locks.map(({ value }) => value);
    for (const value of [one, other]) expect(value).toMatch(new RegExp(`^${MARK}:[\\w-]{16}[\\w.]+$`));
    expect(one).not.toBe(other);
    expect(await onEach((redis) => redis.get('lock:a'))).toEqual([one, one, one]);
    await Promise.all(locks.map((lock) => lock.release()));
  });

  it('is in the cause of the error, at once and at the end of a wait, and no logger prints it', async () => {
    const app = await start({ application: 'the-caller' });
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const errors = await Promise.all([0, 0, 500, 500].map((wait) => refusedBy(app, 'order:42', wait)));
    for (const error of errors) {
      expect(error.cause).toEqual(HOLDER);
      expect(Object.keys(error)).not.toContain('cause');
    }
    await Promise.all([lock.release(), app.close()]);
  });

  it('may be this very process', async () => {
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    for (const wait of [0, 100]) expect((await refusedBy(holder, 'order:42', wait)).cause).toEqual(HOLDER);
    await lock.release();
  });

  it('is unknown if the value is that of another library', async () => {
    await onEach((redis) => redis.set('lock:order:42', 'c0ffee', 'PX', 60_000));
    expect((await refusedBy(holder, 'order:42')).cause).toBeUndefined();
    await onEach((redis) => redis.del('lock:order:42'));
  });

  it('is in no answer to a client, and in a line of the log for many calls', async () => {
    const logger = new DebugLog({ logLevels: ['debug'] });
    const app = await start({ application: 'the-caller' }, logger);
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.get('order')));
    await eventually(() => expect(logger.calls).toBe(20));
    expect(logger.refused.length).toBeLessThan(5);
    // The shutdown does not lose the line of a call that comes now.
    replies.push(await app.get('order'));
    await lock.release();
    await app.close();
    expect(logger.calls).toBe(21);
    for (const line of logger.refused)
      expect(line).toMatch(
        new RegExp(`^Refused: a call for "order:\\*", held by ${MARK}(?: \\(the last of \\d+ more within 1 s\\))?$`),
      );
    for (const { status, body, headers } of replies) {
      expect(status).toBe(409);
      const told = JSON.stringify([body, headers]);
      for (const secret of [MARK, hostname(), 'the-holder']) expect(told).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain(`${process.pid}`);
    }
  });

  it('names its connections, too; the name of an application may have any characters', async () => {
    const app = await start({ application: 'the bills: ü' });
    const lock = await app.redlock.acquire('a');
    expect(lock.value).toMatch(new RegExp(`^the_bills___@${hostname()}#`));
    for (const clients of await onEach((redis) => redis.client('LIST'))) {
      expect(clients).toMatch(/ name=nestjs-redlock:the-holder /);
      expect(clients).toMatch(/ name=nestjs-redlock:the-bills/);
    }
    await lock.release();
    await app.close();
  });

  it('needs no rights beyond those that the documentation lists', async () => {
    const text = readFileSync('docs/operate/redis.md', 'utf8');
    const rights = /ACL SETUSER locks (.*?)```/s.exec(text)![1]!.trim().split(/\s+/);
    await onEach((redis) => redis.acl('SETUSER', 'locks', ...rights));
    await onEach((redis) => redis.acl('LOG', 'RESET'));
    const nodes = servers.map(({ url }) => url.replace('//', '//locks:secret@'));
    const pools = Array.from({ length: 2 }, () =>
      TestApp.start('Express', { imports: [RedlockModule.forRoot({ nodes, nodeTimeout: 3_000, maxTtl: 100 })] }),
    );
    const [one, other] = await Promise.all(pools);
    await eventually(async () => expect((await one!.redlock.status()).quorumReachable).toBe(true));
    const options = { ttl: 90, autoExtend: true };
    const lock = await one!.redlock.acquire(['a', 'b'], options);
    const next = other!.redlock.acquire('b', options);
    await other!.log.until('contended');
    await lock.extend();
    await lock.release();
    await (await next).release();
    expect(await onEach((redis) => redis.acl('LOG'))).toEqual([[], [], []]);
    await Promise.all([one!.close(), other!.close()]);
  });
});
