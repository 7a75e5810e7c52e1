import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { RedisPool } from '../redis-pool.js';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { Crew } from './crew.js';

/** So many nodes for all tests of a block, and a crew whose processes end with the test that started them. */
export function crewOnNodes(size: number): { readonly crew: Crew; readonly pool: RedisPool } {
  const servers: RedisServer[] = [];
  const [crew, pool] = [new Crew(), new RedisPool(servers)];

  beforeAll(async () => {
    const [started] = await Promise.all([startRedisServers(size), crew.prepare()]);
    servers.push(...started);
  });

  afterEach(() => crew.killAll());

  afterAll(async () => {
    await crew.end();
    await pool.stop();
  });

  return { crew, pool };
}
