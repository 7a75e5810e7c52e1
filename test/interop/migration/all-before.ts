import { createRequire } from 'node:module';

type Require = ReturnType<typeof createRequire>;

/** How the code before a migration is run. */
export interface Before {
  /** The heading of the library in docs/compare/migrate.md. */
  readonly library: string;
  /** The folder whose packages the code uses. */
  readonly home: string;
  /** Names of packages there, if they are others than on the page. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The key that the code locks for the account "held". */
  readonly key: string;
  /** The module of Nest that the code needs, for code that is a service. */
  readonly nestModule?: (require: Require, nodes: BeforeNodes) => unknown;
}

export interface BeforeNodes {
  readonly urls: readonly string[];
  /** Clients of ioredis 5. */
  readonly clients: readonly unknown[];
}

interface ModuleWith<Method extends string> {
  readonly [name: string]: Record<Method, (options: object) => unknown>;
}

const BENCH = 'test/bench';
const KEY = 'account:held';

export const ALL_BEFORE: readonly Before[] = [
  { library: 'redlock 4 and 5', home: BENCH, renamed: { redlock: 'redlock-5' }, key: KEY },
  { library: '@sesamecare-oss/redlock', home: BENCH, key: KEY },
  { library: 'redlock-universal', home: BENCH, key: KEY },
  { library: 'redis-semaphore', home: BENCH, key: `mutex:${KEY}` },
  {
    library: '@anchan828/nest-redlock',
    home: BENCH,
    key: KEY,
    nestModule: (require, { clients }) => {
      const { RedlockModule } = require('@anchan828/nest-redlock') as ModuleWith<'register'>;
      return RedlockModule!.register({ clients, isGlobal: true });
    },
  },
  {
    library: 'murlock',
    home: 'test/interop/migration',
    key: 'ReportsService:build:held',
    nestModule: (require, { urls }) => {
      const { MurLockModule } = require('murlock') as ModuleWith<'forRoot'>;
      return MurLockModule!.forRoot({ redisOptions: { url: urls[0] }, wait: 100, maxAttempts: 3, logLevel: 'none' });
    },
  },
];
