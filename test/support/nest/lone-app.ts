import type { ModuleMetadata } from '@nestjs/common';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { poolOn } from './nodes.js';
import { TestApp, type Platform } from './test-app.js';

/** One application, and the nodes that it locks on. */
export class LoneApp {
  private constructor(
    readonly servers: readonly RedisServer[],
    readonly app: TestApp,
  ) {}

  /** Starts so many nodes, and an application on them with a pool besides what `metadata` says. */
  static async start(size: number, platform: Platform, metadata: ModuleMetadata): Promise<LoneApp> {
    const servers = await startRedisServers(size);
    const imports = [...(metadata.imports ?? []), poolOn(servers)];
    return new LoneApp(servers, await TestApp.start(platform, { ...metadata, imports }));
  }
}
