import type { ModuleMetadata } from '@nestjs/common';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import { poolOn } from './nodes.js';
import { TestApp, type Platform } from './test-app.js';

/** Two replicas of an application that lock on the same three nodes, and the door in the middle of their guarded code. */
export class Replicas {
  private constructor(
    readonly servers: readonly RedisServer[],
    readonly one: TestApp,
    readonly two: TestApp,
    readonly door: Door,
  ) {}

  /** Starts the nodes and both replicas, with a pool and the door besides what `describe` says. */
  static async start(platform: Platform, describe: () => ModuleMetadata): Promise<Replicas> {
    const door = new Door();
    const servers = await startRedisServers(3);
    const metadata = (): ModuleMetadata => {
      const { imports = [], providers = [], ...others } = describe();
      return {
        ...others,
        imports: [...imports, poolOn(servers)],
        providers: [...providers, { provide: Door, useValue: door }],
      };
    };
    const [one, two] = await TestApp.pair(platform, metadata);
    return new Replicas(servers, one, two, door);
  }

  /** Opens the door, and forgets what has happened so far. */
  reset(): void {
    this.door.reset();
    for (const { log } of [this.one, this.two]) log.clear();
  }
}
