import type { RedisOptions } from 'ioredis';

/** Settings that a lock cannot do without: ioredis by default replays an unanswered command on a restarted, empty server. */
const OWN_SETTINGS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  stringNumbers: false,
  autoResubscribe: false,
  reconnectOnError: null,
  retryStrategy: (times) => Math.min(1_000, 25 * 2 ** Math.min(times, 6)) * (0.75 + Math.random() / 2),
};

/** The user's options, with defaults below them and what a lock needs above. */
export function connectionSettings(options: RedisOptions): RedisOptions {
  return { connectTimeout: 2_000, disconnectTimeout: 500, keepAlive: 5_000, ...options, ...OWN_SETTINGS };
}
