import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';
import { CLOSED_PORTS } from '../../support/nest/nodes.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { SentinelSet } from '../../support/sentinels.js';

/** Of a program without anything else that would keep its process alive; it ends with 13 if it ends while it still awaits something. */
const BEGIN = `
  import 'reflect-metadata';
  import { NestFactory } from '@nestjs/core';
  import { Test } from '@nestjs/testing';
  import { RedlockModule } from './redlock.module.js';
  import { RedlockService } from './redlock.service.js';

  const nodes = JSON.parse(process.argv[2]);
  const options = { nodes, isGlobal: true, nodeTimeout: 3_000, restartQuarantine: false };
  const takesLock = {
    provide: 'first',
    inject: [RedlockService],
    useFactory: (redlock) => redlock.withLock('migrations', () => 'migrated').catch(({ code }) => console.log(code)),
  };
  const throws = { provide: 'second', inject: ['first'], useFactory: () => { throw new Error('no database'); } };
  const providers = [takesLock, throws];
  const imports = [RedlockModule.forRoot(options)];
  class AppModule {}
`;
const COMPILE = `${BEGIN}
  await Test.createTestingModule({ imports, providers }).compile().catch(({ message }) => console.log(message));
`;
const CREATE = `${BEGIN}
  const app = { module: AppModule, imports, providers };
  await NestFactory.createApplicationContext(app, { abortOnError: false, logger: false })
    .catch(({ message }) => console.log(message));
`;
const USE = `${BEGIN}
  const app = await Test.createTestingModule({ imports }).compile();
  const redlock = app.get(RedlockService);
  const since = performance.now();
  process.on('exit', () => console.log(performance.now() - since));
`;

describe('a process whose application does not start, or is never closed', () => {
  let lib: CompiledLib;
  let servers: RedisServer[];
  const urls = (): string[] => servers.map(({ url }) => url);
  const run = (script: string, nodes: unknown = urls()): Promise<string> =>
    lib.outputOf(script, [JSON.stringify(nodes)]);

  beforeAll(async () => {
    [lib, servers] = await Promise.all([CompiledLib.make({ whole: true }), startRedisServers(3)]);
  });
  afterAll(async () => {
    await lib.remove();
    await stopAll();
  });

  it.each([
    ['compile()', COMPILE],
    ['create() with abortOnError: false', CREATE],
  ])('ends where a provider takes a lock and a later one throws, in %s', async (_case, script) => {
    expect(await run(script)).toBe('no database\n');
  });

  it.each([
    ['nobody listens', CLOSED_PORTS.map(({ url }) => url)],
    ['there is no such name', ['one', 'two', 'three'].map((name) => `redis://${name}.invalid`)],
  ])('ends where nodes cannot be reached: %s', async (_case, nodes) => {
    expect(await run(COMPILE, nodes)).toBe('QUORUM_NOT_REACHED\nno database\n');
  });

  it('ends where the nodes are silent', async () => {
    const frozen = await startRedisServers(3);
    await Promise.all(frozen.map((server) => server.freeze()));
    expect(
      await run(
        COMPILE,
        frozen.map(({ url }) => url),
      ),
    ).toBe('QUORUM_NOT_REACHED\nno database\n');
  });

  it('ends where the node is a master of Sentinel', async () => {
    const { options } = await SentinelSet.start();
    expect(await run(COMPILE, [options])).toBe('no database\n');
  });

  it('lives for as long as a lock is held, and no longer', async () => {
    const lived = Number(await run(`${USE} await redlock.acquire('held', { ttl: 1_500 });`));
    expect(lived).toBeGreaterThan(1_400);
    expect(lived).toBeLessThan(5_000);
  });

  it('lives for as long as a call waits, and until its lock is given back', async () => {
    const wait = `${USE}
      const other = await redlock.acquire('wanted', { ttl: 1_000 });
      const lock = await redlock.acquire('wanted');
      await lock.release();
      console.log(await redlock.tryAcquire('wanted') ? 'free' : 'taken');
      process.exit(0);
    `;
    const [state, lived] = (await run(wait)).trim().split('\n');
    expect(state).toBe('free');
    expect(Number(lived)).toBeGreaterThan(900);
  });

  it('lives while it asks for the status, and while the pool is closed', async () => {
    const close = `${USE}
      const { quorumReachable } = await redlock.status();
      await app.init();
      await app.close();
      console.log(quorumReachable);
    `;
    expect((await run(close)).split('\n')[0]).toBe('true');
  });
});
