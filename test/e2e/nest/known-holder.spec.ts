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
    return this.refused.reduce((sum, line) => sum + Number(/^Refused: (\d+)/.exec(line)![1]), 0);
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

/** What the holder says of itself; its process is that of the test, but its mark is its own. */
const NOTE = {
  host: hostname(),
  pid: process.pid,
  application: 'the-holder',
  since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
};

const LINE = new RegExp(
  `^Refused: \\d+ calls? for "order:\\*", held by the-holder@${hostname()} \\(pid ${process.pid}, since 20[\\d:TZ-]+\\)$`,
);

describe('the holder of a lock', () => {
  it('is in the cause of the error a moment after a call that does not wait, and at once after the next', async () => {
    const app = await start({ application: 'the-caller' });
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const first = await refusedBy(app, 'order:42');
    expect(first.cause).toMatchObject({ holder: lock.value.slice(0, 6) });
    await eventually(() => expect(first.cause).toMatchObject({ process: NOTE }));
    expect((await refusedBy(app, 'order:42')).cause).toMatchObject({ process: NOTE });
    expect(Object.keys(first)).not.toContain('cause');
    await Promise.all([lock.release(), app.close()]);
  });

  it('is known at the end of a wait, to callers behind others of their process too', async () => {
    const app = await start({ application: 'the-caller' });
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const causes = await Promise.all([1, 2].map(async () => (await refusedBy(app, 'order:42', 500)).cause));
    expect(causes).toMatchObject([{ process: NOTE }, { process: NOTE }]);
    await Promise.all([lock.release(), app.close()]);
  });

  it('is this very process where that has it', async () => {
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    for (const waitTimeout of [0, 100]) {
      expect((await refusedBy(holder, 'order:42', waitTimeout)).cause).toMatchObject({
        holder: lock.value.slice(0, 6),
        process: NOTE,
      });
    }
    await lock.release();
  });

  it('is in no answer to a client, and in a line of the log for many calls', async () => {
    const logger = new DebugLog({ logLevels: ['debug'] });
    const app = await start({ application: 'the-caller' }, logger);
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.get('order')));
    await eventually(() => expect(logger.calls).toBe(20));
    expect(logger.refused.length).toBeLessThan(5);
    // A caller that comes now finds the holder known, and the shutdown does not lose its line.
    replies.push(await app.get('order'));
    await lock.release();
    await app.close();
    expect(logger.calls).toBe(21);
    for (const line of logger.refused) expect(line).toMatch(LINE);
    for (const { status, body, headers } of replies) {
      expect(status).toBe(409);
      const told = JSON.stringify([body, headers]);
      for (const secret of [lock.value.slice(0, 6), hostname(), 'the-holder']) expect(told).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain(`${process.pid}`);
    }
  });

  it('is the mark only where the user of the nodes may not read the note, without a warning', async () => {
    const rights = ['on', '>secret', 'resetkeys', '~lock:order*', '~lock:~node', '~lock:~waiting', '~lock:~fence'];
    for (const { url } of servers) {
      await withRedis(url, (redis) => redis.acl('SETUSER', 'narrow', ...rights, '&*', '+@all'));
    }
    const logger = new DebugLog({ logLevels: ['debug'] });
    const nodes = servers.map(({ url }) => url.replace('//', '//narrow:secret@'));
    const app = await TestApp.start(
      'Express',
      { imports: [RedlockModule.forRoot({ nodes, restartQuarantine: false, maxTtl: 10_000_000, nodeTimeout: 3_000 })] },
      (nest) => nest.useLogger(logger),
    );
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const { cause } = await refusedBy(app, 'order:42', 300);
    expect(cause).toEqual({ holder: lock.value.slice(0, 6) });
    await app.close();
    expect(logger.refused).toEqual([`Refused: 1 call for "order:*", held by the process ${cause!.holder}`]);
    const told = app.log.events.map(({ type }) => type);
    for (const type of ['node-refused', 'node-warning']) expect(told).not.toContain(type);
    await lock.release();
  });

  it('can be asked for while the pool is closed', async () => {
    const app = await start({ application: 'the-caller' });
    const lock = await holder.redlock.acquire('order:42', { ttl: 60_000 });
    const refused = refusedBy(app, 'order:42');
    const { cause } = await refused;
    await app.close();
    expect(cause).toMatchObject({ holder: lock.value.slice(0, 6) });
    await lock.release();
  });
});
