import { withRedis } from '../redis-client.js';

/** Takes a lock away from its holder on all nodes, as the end of its lease does to a paused process. */
export async function breakLock(servers: readonly { readonly url: string }[], ...resources: string[]): Promise<void> {
  const keys = resources.map((resource) => `lock:${resource}`);
  await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.del(...keys))));
}
