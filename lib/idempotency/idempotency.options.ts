import { checkNames, checkLockOptions, DEFAULT_LOCK_OPTIONS, invalidValue } from '../engine/options.js';
import type { Encryption } from './encryption.js';
import type { OnceSettings } from './once-call.js';
import type { ReplyStore } from './reply-store.js';
import type { Codec } from './typed-json.js';

/** The options of the module, of `@Idempotent` and of `once`. */
export interface IdempotencyOptions {
  /** Ms for which a reply is kept. @default 3_600_000 on nodes; 86_400_000 in a database */
  keep?: number;
  /** Bytes of the largest kept reply. Of a larger reply only the headers are kept, and a duplicate gets 409. @default 16_384 on nodes; 262_144 in a database */
  maxBytes?: number;
  /** What a duplicate does while the first call is running: wait for `waitTimeout`, or fail at once. @default 'wait' */
  onBusy?: 'wait' | 'reject';
  /** What a duplicate does if the first call was interrupted, so that its effects are unknown. @default 'rerun' */
  onInterrupted?: 'rerun' | 'refuse';
  /** Converts values that JSON cannot hold. @default JSON for HTTP; elsewhere JSON with dates, maps, sets, bytes and big integers */
  codec?: Codec;
  /** Ms that the lease of a running call lasts unless it is extended. @default the `ttl` of the pool */
  ttl?: number;
  /** Ms for which a duplicate waits for the first call. @default 8_000 */
  waitTimeout?: number;
  /** Ms after which automatic extension ends. @default the `maxHold` of the pool */
  maxHold?: number;
}

/** The options of `RedlockIdempotencyModule`. */
export interface RedlockIdempotencyOptions extends IdempotencyOptions {
  /** Where replies are kept. @default the nodes of the pool */
  store?: ReplyStore;
  /** Separates callers: a template such as '<user.id>'. A caller gets replies of its own principal only. Keys that read headers need it. @default none */
  principal?: string;
  /** Encrypts what is kept. @default none: the store holds readable replies */
  encrypt?: Encryption;
  /** The key of the HMAC that compares requests. @default a hash that is salted with the idempotency key */
  secret?: string;
  /** The address of a page about idempotency keys, for the `Link` header of 400 answers. @default none */
  docs?: string;
}

/** The defaults for replies on nodes, which are in memory, and in a database. */
export const KEEP = {
  onNodes: { keep: 3_600_000, maxBytes: 16_384 },
  inDatabase: { keep: 86_400_000, maxBytes: 262_144 },
} as const;

const LOCK_NAMES = ['ttl', 'waitTimeout', 'maxHold'] as const;
const NAMES = ['keep', 'maxBytes', 'onBusy', 'onInterrupted', 'codec', ...LOCK_NAMES];

/** Returns a function that checks one option, if it is given. */
export function checkFor(options: object, where: string) {
  return (name: string, isValid: (value: unknown) => boolean, expected: string): void => {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined && !isValid(value)) throw invalidValue(`${where}: ${name}`, value, expected);
  };
}

/** Checks the options of a method, a call or the module. @throws TypeError, RangeError that name the option */
export function checkIdempotencyOptions(
  options: IdempotencyOptions,
  where: string,
  more: readonly string[] = [],
): void {
  checkNames(options, [...NAMES, ...more], where);
  const check = checkFor(options, where);
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
  for (const name of ['keep', 'maxBytes']) check(name, isCount, 'a whole number above 0');
  check('onBusy', (value) => ['wait', 'reject'].includes(value as string), 'one of wait, reject');
  check('onInterrupted', (value) => ['rerun', 'refuse'].includes(value as string), 'one of rerun, refuse');
  check('codec', hasAll(['encode', 'decode']), 'an object with the functions encode and decode');
  checkLockOptions(lockOptions(options), where);
}

function hasAll(methods: readonly string[]): (value: unknown) => boolean {
  return (value) => methods.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');
}

/** Returns the options of a call over those of the module. @throws TypeError, RangeError that name the option */
export function settingsOf(defaults: IdempotencyOptions, own: IdempotencyOptions, where: string): OnceSettings {
  checkIdempotencyOptions(own, where);
  const options = { ...KEEP.onNodes, ...defaults, ...defined(own) };
  const { keep, maxBytes, onBusy = 'wait', onInterrupted = 'rerun' } = options;
  const { waitTimeout } = DEFAULT_LOCK_OPTIONS;
  return { keep, maxBytes, onBusy, onInterrupted, lock: { waitTimeout, ...lockOptions(options) } };
}

function lockOptions(options: IdempotencyOptions): OnceSettings['lock'] {
  return defined(Object.fromEntries(LOCK_NAMES.map((name) => [name, options[name]])));
}

function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

const TEXTS = ['principal', 'secret', 'docs'];
const METHODS = { store: ['peek', 'open', 'settle', 'clear', 'forget'], encrypt: ['seal', 'open'] };

/** @throws TypeError, RangeError that name the option */
export function checkModuleOptions(options: RedlockIdempotencyOptions): RedlockIdempotencyOptions {
  const where = 'RedlockIdempotencyModule';
  checkIdempotencyOptions(options, where, [...TEXTS, ...Object.keys(METHODS)]);
  const check = checkFor(options, where);
  for (const name of TEXTS) check(name, isText, 'a text, or left out');
  for (const [name, methods] of Object.entries(METHODS))
    check(name, hasAll(methods), `an object with the functions ${methods.join(', ')}`);
  return options;
}

export function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
