import { Redis, type RedisOptions } from 'ioredis';

/** A plain client for setting and inspecting keys; it never tries again, so that a test sees what happens. */
export async function connectRedis(url: string, options: RedisOptions = {}): Promise<Redis> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    // Told to disconnect after the node is gone, it would keep the process alive for two seconds.
    disconnectTimeout: 50,
    ...options,
  });
  // Nodes die on purpose here: commands are refused then, and that is how a test learns of it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs `work` with a client that is closed afterwards. */
export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = await connectRedis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Ends all other connections to the node: those that are subscribed to something count as another type. */
export async function endConnections(client: Redis): Promise<void> {
  for (const type of ['normal', 'pubsub']) await client.call('CLIENT', 'KILL', 'TYPE', type);
}
