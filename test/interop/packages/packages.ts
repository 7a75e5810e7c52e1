import type { Library, RivalLock } from '../library.js';
import { Packages, succeeds, type Connection } from './load.js';

interface RedlockLock {
  extend(ttl: number): Promise<RedlockLock>;
  unlock(): Promise<unknown>;
  release(): Promise<unknown>;
}

interface Redlock {
  lock(resource: string, ttl: number): Promise<RedlockLock>;
  acquire(resources: string[], ttl: number): Promise<RedlockLock>;
  on(event: 'error', listener: () => void): void;
}

type RedlockClass = new (nodes: Connection[], settings: { retryCount: number }) => Redlock;

interface UniversalLock {
  acquire(): Promise<unknown>;
  extend(handle: unknown, ttl: number): Promise<boolean>;
  release(handle: unknown): Promise<boolean>;
}

interface Mutex {
  readonly isAcquired: boolean;
  tryAcquire(): Promise<boolean>;
  refresh(): Promise<boolean>;
  release(): Promise<void>;
}

type MutexClass = new (...parts: unknown[]) => Mutex;

const COMMON = { source: 'package', keyPrefix: '', nodes: 3, lateExtension: 'is told' } as const;

/** The libraries of Node by their packages, in the versions of test/bench/package.json. */
export function packagesBelow(root: string): readonly Library[] {
  const packages = new Packages(root);
  return [
    ...['redlock-4', 'redlock-5', '@sesamecare-oss/redlock'].map((name) => ofRedlock(packages, name)),
    ofUniversal(packages),
    ofSemaphore(packages, 'RedlockMutex'),
    ofSemaphore(packages, 'RedlockSemaphore'),
  ];
}

function ofRedlock(packages: Packages, name: string): Library {
  const connect: Library['connect'] = (urls) =>
    packages.rival(urls, (nodes) => {
      const loaded = packages.load(name) as RedlockClass & { default?: RedlockClass; Redlock?: RedlockClass };
      const redlock = new (loaded.Redlock ?? loaded.default ?? loaded)(nodes, { retryCount: 0 });
      redlock.on('error', () => undefined);
      return async (resource, ttl) => {
        const is4 = name === 'redlock-4';
        const lock = await (is4 ? redlock.lock(resource, ttl) : redlock.acquire([resource], ttl));
        return redlockLock(lock, is4);
      };
    });
  return { ...COMMON, name: `${name} ${versionOf(packages, name)}`, connect };
}

function redlockLock(first: RedlockLock, is4: boolean): RivalLock {
  let lock = first;
  return {
    extend: (ttl) => succeeds(lock.extend(ttl).then((next) => void (lock = next))),
    release: async () => void (await succeeds(is4 ? lock.unlock() : lock.release())),
  };
}

function ofUniversal(packages: Packages): Library {
  const name = 'redlock-universal';
  const connect: Library['connect'] = (urls) =>
    packages.rival(urls, (nodes) => {
      const { createRedlock, IoredisAdapter } = packages.load(name) as {
        createRedlock(options: object): UniversalLock;
        IoredisAdapter: new (node: Connection) => object;
      };
      const adapters = nodes.map((node) => new IoredisAdapter(node));
      return async (key, ttl) => {
        const lock = createRedlock({ adapters, key, ttl, retryAttempts: 0 });
        const handle = await lock.acquire();
        return {
          extend: (longer) => succeeds(lock.extend(handle, longer)),
          release: async () => void (await succeeds(lock.release(handle))),
        };
      };
    });
  return { ...COMMON, name: `${name} ${versionOf(packages, name)}`, connect };
}

function ofSemaphore(packages: Packages, kind: 'RedlockMutex' | 'RedlockSemaphore'): Library {
  const isElsewhere = kind === 'RedlockSemaphore';
  const connect: Library['connect'] = (urls) =>
    packages.rival(urls, (nodes) => {
      const loaded = packages.load('redis-semaphore') as Record<string, MutexClass>;
      const Kind = loaded[kind]!;
      return async (name, lockTimeout) => {
        const options = { lockTimeout, refreshInterval: 0, acquireAttemptsLimit: 1 };
        const mutex = isElsewhere ? new Kind(nodes, name, 1, options) : new Kind(nodes, name, options);
        if (!(await mutex.tryAcquire())) return undefined;
        // It extends by its own timer only, which is off here, and by the same ttl.
        return { extend: undefined, release: () => mutex.release() };
      };
    });
  return {
    ...COMMON,
    name: `redis-semaphore ${versionOf(packages, 'redis-semaphore')} ${kind}`,
    keyPrefix: isElsewhere ? '' : 'mutex:',
    lateExtension: 'cannot extend',
    ...(isElsewhere && { isElsewhere }),
    connect,
  };
}

function versionOf(packages: Packages, name: string): string {
  const { dependencies } = packages.load('./package.json') as { dependencies: Record<string, string> };
  return dependencies[name]!.replace(/^npm:.*@/, '');
}
