import { randomBytes, randomUUID } from 'node:crypto';
import type { Dialect } from './dialect.js';
import * as script from './scripts.js';

const { SET, DELETE_OWN, EXPIRE_OWN, SET_OWN } = script;
const PLAIN = { key: '*', take: SET, release: DELETE_OWN } as const;
const RENEWED = { ...PLAIN, extend: EXPIRE_OWN, lateExtension: 'is told' } as const;

/** Libraries of other languages, and those of Node once more, by what they send. */
export const DIALECTS: readonly Dialect[] = [
  {
    ...PLAIN,
    name: 'redlock 4 and 5, @sesamecare-oss/redlock',
    take: script.SET_WHERE_NONE,
    extend: SET_OWN,
    lateExtension: 'is told',
  },
  { ...RENEWED, name: 'redlock-universal' },
  { ...RENEWED, name: 'redis-semaphore Mutex, RedlockMutex', key: 'mutex:*', value: randomUUID },
  { ...RENEWED, name: 'redsync (Go)', value: () => randomBytes(16).toString('base64') },
  { ...RENEWED, name: 'redsync WithSetNXOnExtend', extend: script.SET_OWN_OR_NONE, lateExtension: 'believes it' },
  {
    ...PLAIN,
    name: 'redlock-rb (Ruby)',
    take: script.SET_OWN_OR_NONE,
    extend: script.SET_OWN_OR_NONE,
    lateExtension: 'believes it',
    value: randomUUID,
  },
  {
    ...PLAIN,
    name: 'redlock-rb extend_only_if_locked',
    take: script.SET_OWN_OR_NONE,
    extend: SET_OWN,
    lateExtension: 'is told',
  },
  { ...PLAIN, name: 'redlock-py (Python)', lateExtension: 'cannot extend' },
  { ...RENEWED, name: 'pottery (Python)', key: 'redlock:*', value: randomUUID },
  { ...RENEWED, name: 'RedLock.net', key: 'redlock:*', extend: script.SET_OWN_OR_NONE, lateExtension: 'believes it' },
  { ...RENEWED, name: 'DistributedLock.Redis (.NET)' },
  { ...PLAIN, name: 'rslock (Rust)', extend: SET_OWN, lateExtension: 'is told', value: () => randomBytes(20) },
  { ...PLAIN, name: 'redlock4j (Java)', lateExtension: 'cannot extend' },
  { ...RENEWED, name: 'bsm/redislock, redis-py Lock, LockTake', nodes: 1 },
  {
    ...PLAIN,
    name: 'Laravel RedisLock',
    take: 'SET key value EX seconds NX',
    nodes: 1,
    lateExtension: 'cannot extend',
  },
  {
    ...PLAIN,
    name: 'Laravel RedisLock of 0 s',
    take: 'SETNX key value',
    nodes: 1,
    lateExtension: 'cannot extend',
    expires: false,
  },
  { ...RENEWED, name: 'ShedLock safeUpdate', key: 'job-lock:env:*', nodes: 1 },
  { ...RENEWED, name: 'ShedLock', key: 'job-lock:env:*', release: 'DEL key', nodes: 1, deletesAny: true },
  {
    ...PLAIN,
    name: 'Laravel forceRelease',
    release: 'DEL key',
    nodes: 1,
    deletesAny: true,
    lateExtension: 'cannot extend',
  },
  {
    name: 'Redisson RLock, RedissonRedLock',
    key: '*',
    take: script.HASH_TAKE,
    extend: script.HASH_EXTEND,
    release: script.HASH_RELEASE,
    lateExtension: 'is told',
  },
  {
    name: 'Symfony RedisStore',
    key: '*',
    take: script.SET_OF_HOLDERS_TAKE,
    extend: script.SET_OF_HOLDERS_EXTEND,
    release: script.SET_OF_HOLDERS_RELEASE,
    nodes: 1,
    lateExtension: 'is told',
  },
  {
    ...PLAIN,
    name: 'rueidislock (Go)',
    key: 'rueidislock:0:*',
    take: 'SET key value NX PXAT until',
    lateExtension: 'cannot extend',
    isElsewhere: true,
  },
];
