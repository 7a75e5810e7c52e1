import type { ModuleMetadata, Provider, Type } from '@nestjs/common';
import { poolOn } from '../nest/nodes.js';
import type { RedisServer } from '../redis-server.js';
import { TestApp } from '../nest/test-app.js';

/** Two replicas of an application with this service on the same nodes; resolves with the service of each. */
export async function serviceReplicas<T>(
  servers: readonly RedisServer[],
  service: Type<T>,
  providers: readonly Provider[],
): Promise<{ readonly apps: [TestApp, TestApp]; readonly services: [T, T] }> {
  const metadata = (): ModuleMetadata => ({ imports: [poolOn(servers)], providers: [service, ...providers] });
  const apps = await TestApp.pair('Express', metadata);
  return { apps, services: [apps[0].app.get(service), apps[1].app.get(service)] };
}
