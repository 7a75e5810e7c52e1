import type { RedisOptions } from 'ioredis';

/** The name by which CLIENT LIST tells the connections of this library from others of the application. */
export const CONNECTION_NAME = 'nestjs-redlock';

/** Returns the name of the connections of an application; Redis takes no spaces, and nothing beyond ASCII. */
export function connectionNameOf(application: string | undefined): string {
  return application === undefined ? CONNECTION_NAME : `${CONNECTION_NAME}:${application.replaceAll(/[^!-~]+/gu, '-')}`;
}

/** Settings that a lock cannot do without: ioredis by default replays an unanswered command on a restarted, empty server. */
export const OWN_SETTINGS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  stringNumbers: false,
  replyMapping: 'legacy',
  readOnly: false,
  monitor: false,
  autoResubscribe: false,
  reconnectOnError: null,
  retryStrategy: (times) => Math.min(1_000, 25 * 2 ** Math.min(times, 6)) * (0.75 + Math.random() / 2),
};

/**
 * How a connection follows its master from one server to the next: ioredis learns of a failover from the Sentinels, leaves a server that is a
 * replica by now, and reports Sentinels that it cannot reach, instead of asking them for ever without a word.
 */
const AT_SENTINELS: RedisOptions = {
  role: 'master',
  failoverDetector: true,
  enableReadyCheck: true,
  // ioredis begins where it stopped before, so only the second round has asked all Sentinels.
  sentinelRetryStrategy: (rounds) => (rounds === 1 ? 10 : null),
  sentinelReconnectStrategy: () => 1_000,
};

/** Returns the settings of a connection: defaults, overridden by the user's options, overridden by what a lock needs. */
export function connectionSettings(options: RedisOptions): RedisOptions {
  const { connectionName = CONNECTION_NAME } = options;
  return {
    connectTimeout: 2_000,
    disconnectTimeout: 500,
    keepAlive: 5_000,
    ...options,
    connectionName,
    ...OWN_SETTINGS,
    ...(options.sentinels && AT_SENTINELS),
  };
}
