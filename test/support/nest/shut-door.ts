import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { startRedisServers, stopAll, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import { closeApps } from './test-app.js';

/**
 * Three nodes for all tests of a block, each of which starts applications of its own, and a door that is shut when a
 * test begins. When the test ends, the door opens and the applications close.
 */
export function shutDoor(): { readonly door: Door; readonly servers: RedisServer[] } {
  const door = new Door();
  const servers: RedisServer[] = [];

  beforeAll(async () => {
    servers.push(...(await startRedisServers(3)));
  });

  beforeEach(() => {
    door.reset();
    door.shut();
  });

  afterEach(async () => {
    door.open();
    await closeApps();
  });

  afterAll(() => stopAll());

  return { door, servers };
}
