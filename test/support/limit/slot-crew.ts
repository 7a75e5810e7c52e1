import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { CompiledLib } from '../compiled-lib.js';
import { RedisPool } from '../redis-pool.js';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { SlotProcess } from './slot-process.js';

/** What a process does before a test: its first calls take several times as long as the later ones. */
const WARM_UP = { options: { limit: 2, ttl: 5_000, waitTimeout: 10_000 }, hold: 1, times: Array<number>(30).fill(0) };

/** So many nodes for all tests of a block, and processes that end with the test that started them. */
export function slotCrew(size: number): {
  readonly pool: RedisPool;
  start(count: number, nodeTimeout?: number): Promise<SlotProcess[]>;
} {
  const servers: RedisServer[] = [];
  const pool = new RedisPool(servers);
  const members: SlotProcess[] = [];
  let lib: CompiledLib;

  beforeAll(async () => {
    const [started, compiled] = await Promise.all([startRedisServers(size), CompiledLib.make()]);
    servers.push(...started);
    lib = compiled;
  });

  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.kill()));
  });

  afterAll(async () => {
    await lib.remove();
    await pool.stop();
  });

  // One after the other: they share a file that each of them writes and reads.
  const start = async (count: number, nodeTimeout = 3_000): Promise<SlotProcess[]> => {
    const started: SlotProcess[] = [];
    for (let index = 0; index < count; index += 1) {
      const member = await SlotProcess.start(lib, pool.urls, nodeTimeout);
      members.push(member);
      await member.arrive({ resource: pool.resource(), ...WARM_UP });
      started.push(member);
    }
    return started;
  };
  return { pool, start };
}
