import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockService, WithLock } from 'nestjs-redlock';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { eventually } from '../../support/eventually.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Injectable()
class Jobs {
  @WithLock('job:<0>')
  async run(id: number): Promise<number> {
    return id;
  }
}

/** How many sockets and timers keep this process alive. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Timeout|Immediate|GetAddrInfo)/.test(kind)).length;
}

describe('an application context that was closed', () => {
  let servers: RedisServer[];
  let before: number;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    before = handles();
  });

  afterAll(() => stopAll());

  it.each<[string, () => readonly { url: string }[]]>([
    ['nodes', () => servers],
    ['nodes that cannot be reached', () => CLOSED_PORTS],
    ['some of each', () => [servers[0]!, servers[1]!, CLOSED_PORTS[0]!]],
  ])('leaves no connection and no timer behind: with %s', async (_case, nodes) => {
    const module = await Test.createTestingModule({
      imports: [poolOn(nodes(), { shutdownTimeout: 0, defaults: { waitTimeout: 0 } })],
      providers: [Jobs],
    }).compile();
    module.useLogger(false);
    await module.init();
    const jobs = module.get(Jobs);
    await Promise.allSettled(Array.from({ length: 10 }, (_, id) => jobs.run(id)));
    const left = await module
      .get(RedlockService)
      .acquire('left', { autoExtend: true })
      .catch(() => undefined);
    await module.close();
    expect(left?.isValid ?? false).toBe(false);
    // A socket that was closed is gone a little later.
    await eventually(() => {
      expect(handles()).toBeLessThanOrEqual(before);
    });
  });
});
