import type { ModuleMetadata } from '@nestjs/common';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { Door } from './door.js';
import { poolOn } from './nodes.js';
import { TestApp, type Platform } from './test-app.js';

/** One application, the nodes that it locks on, and the door in the middle of its guarded code. */
export class LoneApp {
  private constructor(
    readonly servers: readonly RedisServer[],
    readonly app: TestApp,
    readonly door: Door,
  ) {}

  /** Starts so many nodes, and an application on them with a pool and the door besides what `metadata` says. */
  static async start(size: number, platform: Platform, metadata: ModuleMetadata): Promise<LoneApp> {
    const door = new Door();
    const servers = await startRedisServers(size);
    const imports = [...(metadata.imports ?? []), poolOn(servers)];
    const providers = [...(metadata.providers ?? []), { provide: Door, useValue: door }];
    return new LoneApp(servers, await TestApp.start(platform, { ...metadata, imports, providers }), door);
  }

  /** Opens the door, and forgets what has happened so far. */
  reset(): void {
    this.door.reset();
    this.app.log.clear();
  }
}
