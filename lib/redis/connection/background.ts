import type { Redis } from 'ioredis';

/** What is private in ioredis, which has no option for sockets and timers that keep no process alive. */
interface Inside {
  readonly reconnectTimeout: NodeJS.Timeout | null;
  readonly connector: {
    connect: (...args: unknown[]) => Promise<Redis['stream']>;
    /** Only of a master of Sentinel. */
    connectToSentinel?: (...args: unknown[]) => Redis;
  };
}

/** Lets a process end although this client is connected, connects, or waits for its next attempt. */
export function inBackground(client: Redis): void {
  const { connector } = client as unknown as Inside;
  const connect = connector.connect.bind(connector);
  connector.connect = async (...args) => {
    const stream = await connect(...args);
    return stream.unref();
  };
  // A socket that tries several addresses is another one inside in the end.
  client.on('connect', () => client.stream.unref());
  client.on('reconnecting', () => (client as unknown as Inside).reconnectTimeout?.unref());
  const toSentinel = connector.connectToSentinel?.bind(connector);
  if (!toSentinel) return;
  connector.connectToSentinel = (...args) => {
    const sentinel = toSentinel(...args);
    inBackground(sentinel);
    return sentinel;
  };
}
