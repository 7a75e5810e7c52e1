import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  reason: unknown;

  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('pay')
  @WithLock('order:<body.id>', { waitTimeout: 0 })
  async pay(@Body('id') id: string): Promise<string> {
    await this.door.pass(id);
    return 'paid';
  }

  /** Works until it is told that its lock is lost. */
  @Post('until-lost')
  @WithLock('order:<body.id>', { ttl: 300, waitTimeout: 0 })
  async untilLost(@Body('id') id: string, @CurrentLock() { signal }: Lock): Promise<string> {
    await this.door.pass(id);
    if (!signal.aborted) await once(signal, 'abort');
    this.reason = signal.reason;
    return 'done all the same';
  }
}

const UNAVAILABLE = { status: 503, body: { statusCode: 503, code: 'QUORUM_NOT_REACHED' } };
const PAID = { status: 201, body: 'paid' };

describe('an application', () => {
  const door = new Door();
  let servers: RedisServer[];

  const start = (pool = poolOn(servers)): Promise<TestApp> => {
    door.reset();
    return TestApp.start('Express', {
      imports: [pool],
      controllers: [Orders],
      providers: [{ provide: Door, useValue: door }],
    });
  };
  const each = (action: (server: RedisServer) => Promise<void>, ...indices: number[]): Promise<void[]> =>
    Promise.all(indices.map((index) => action(servers[index]!)));
  const kill = (...indices: number[]): Promise<void[]> => each((server) => server.kill(), ...indices);
  const restart = (...indices: number[]): Promise<void[]> => each((server) => server.restart(), ...indices);

  afterEach(endAll);

  it('connects to its nodes when it starts, and not only for the first lock', async () => {
    servers = await startRedisServers(3);
    const app = await start();
    await app.log.until('node-up', undefined, 3);
    expect(app.log.count('acquired')).toBe(0);
  });

  it('starts and locks with a minority of its nodes down', async () => {
    servers = await startRedisServers(3);
    await kill(0);
    const app = await start();
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
  });

  it('starts with all of its nodes down, refuses what needs a lock, and locks once they are there', async () => {
    servers = await startRedisServers(3);
    await kill(0, 1, 2);
    const app = await start();
    expect(await app.post('pay', { id: '1' })).toMatchObject(UNAVAILABLE);
    expect(door.visits).toEqual([]);
    await restart(0, 1);
    await app.log.until('node-up', undefined, 2);
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
  });

  it('starts with all of its nodes silent, and refuses what needs a lock', async () => {
    servers = await startRedisServers(3);
    await each((server) => server.freeze(), 0, 1, 2);
    const app = await start(poolOn(servers, { nodeTimeout: 50 }));
    expect(await app.post('pay', { id: '1' })).toMatchObject(UNAVAILABLE);
    expect(door.visits).toEqual([]);
    await each((server) => server.thaw(), 0, 1, 2);
  });

  it('locks while a minority of its nodes dies, refuses once it is a majority, and locks when they are back', async () => {
    servers = await startRedisServers(3);
    const app = await start();
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
    await kill(0);
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
    await kill(1);
    await app.log.until('node-down', undefined, 2);
    expect(await app.post('pay', { id: '1' })).toMatchObject(UNAVAILABLE);
    expect(door.visits).toHaveLength(2);
    await restart(0, 1);
    await app.log.until('node-up', undefined, 5);
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
  });

  it('locks while a minority of its nodes is silent', async () => {
    servers = await startRedisServers(3);
    const app = await start();
    await each((server) => server.freeze(), 2);
    expect(await app.post('pay', { id: '1' })).toMatchObject(PAID);
    await each((server) => server.thaw(), 2);
  });

  it('tells a handler that its lock is lost, and its client that it failed', async () => {
    servers = await startRedisServers(3);
    const app = await start();
    door.shut();
    const reply = app.post('until-lost', { id: '1' });
    await door.untilVisits(1);
    await kill(0, 1);
    door.open();
    await app.log.until('lost', 'order:1');
    expect(await reply).toMatchObject({ status: 500, body: { statusCode: 500 } });
    expect(app.app.get(Orders).reason).toMatchObject({ code: 'LOCK_LOST' });
  });
});
