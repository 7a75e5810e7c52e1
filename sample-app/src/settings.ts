import { filterLogLevels, type LogLevel } from '@nestjs/common';

/** What the environment may set; .env.example says what each is for. */
export interface Settings {
  NODE_ENV: string;
  HOST: string;
  PORT: number;
  /** Whether `GET /live/events` tells the live page what happens, with the addresses of users. */
  LIVE_EVENTS: boolean;
  /** Undefined: no metrics. */
  METRICS_PORT: number | undefined;
  REDLOCK_NODES: string[];
  /** Ms. */
  MAX_TTL: number;
  RESTART_QUARANTINE: boolean;
  DATABASE_URL: string | undefined;
  DATA_FOLDER: string;
  /** Ms. */
  BONUS_DELAY: number;
  LOG_LEVELS: LogLevel[];
}

const COMPOSE_NODES = [7001, 7002, 7003, 7004, 7005].map((port) => `redis://127.0.0.1:${port}`).join();

/** Reads all settings at once, so that a wrong one stops the start and not the first request that needs it. */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const mode = env['NODE_ENV'] || 'development';
  return {
    NODE_ENV: mode,
    HOST: env['HOST'] || '127.0.0.1',
    PORT: wholeNumber('PORT', env['PORT'] || '3000', 65_535),
    LIVE_EVENTS: trueOrFalse('LIVE_EVENTS', env['LIVE_EVENTS'] || 'false'),
    METRICS_PORT: wholeNumber('METRICS_PORT', env['METRICS_PORT'] || '0', 65_535) || undefined,
    REDLOCK_NODES: list(env['REDLOCK_NODES'] || COMPOSE_NODES),
    MAX_TTL: wholeNumber('MAX_TTL', env['MAX_TTL'] || '30000', 3_600_000),
    RESTART_QUARANTINE: trueOrFalse('RESTART_QUARANTINE', env['RESTART_QUARANTINE'] || `${mode === 'production'}`),
    DATABASE_URL: env['DATABASE_URL'] || undefined,
    DATA_FOLDER: env['DATA_FOLDER'] || 'sample-app/.data',
    BONUS_DELAY: wholeNumber('BONUS_DELAY', env['BONUS_DELAY'] || '150', 60_000),
    LOG_LEVELS: filterLogLevels(env['LOG_LEVELS'] || '>=log'),
  };
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from 0 to ${most}; got "${text}"`);
}

function trueOrFalse(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new TypeError(`${name} must be true or false; got "${text}"`);
}
