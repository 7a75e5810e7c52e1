import { checkNames, checkLockOptions, DEFAULT_LOCK_OPTIONS, misfit } from '../engine/options.js';
import type { Codec } from './codec.js';
import type { Encryption } from './encryption.js';
import type { ReplyStore } from './reply-store.js';
import type { OnceSettings } from './once-run.js';

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
const CHOICES = { onBusy: ['wait', 'reject'], onInterrupted: ['rerun', 'refuse'] } as const;

/** Checks what a method, a call or the module says. @throws TypeError, RangeError that name the option */
export function checkIdempotencyOptions(
  options: IdempotencyOptions,
  where: string,
  more: readonly string[] = [],
): void {
  checkNames(options, [...NAMES, ...more], where);
  const { keep, maxBytes, codec } = options;
  for (const [name, number] of Object.entries({ keep, maxBytes }))
    if (number !== undefined && !(Number.isSafeInteger(number) && number > 0))
      throw misfit(`${where}: ${name}`, number, 'a whole number above 0');
  for (const [name, choices] of Object.entries(CHOICES)) {
    const chosen = options[name as keyof typeof CHOICES];
    if (chosen !== undefined && !(choices as readonly string[]).includes(chosen))
      throw misfit(`${where}: ${name}`, chosen, `one of ${choices.join(', ')}`);
  }
  if (
    codec !== undefined &&
    (Object(codec) !== codec || typeof codec.encode !== 'function' || typeof codec.decode !== 'function')
  )
    throw misfit(`${where}: codec`, codec, 'an object with the functions encode and decode');
  checkLockOptions(lockOptions(options), where);
}

/** Returns what a run goes by: its own options over those of the module. @throws TypeError, RangeError that name the option */
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

const MODULE_NAMES = ['store', 'principal', 'encrypt', 'secret', 'docs'];
const METHODS = { store: ['peek', 'open', 'settle', 'clear', 'forget'], encrypt: ['seal', 'open'] } as const;

/** @throws TypeError, RangeError that name the option */
export function checkModuleOptions(options: RedlockIdempotencyOptions): RedlockIdempotencyOptions {
  const where = 'RedlockIdempotencyModule';
  checkIdempotencyOptions(options, where, MODULE_NAMES);
  for (const name of ['principal', 'secret', 'docs'] as const) {
    const text = options[name];
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      throw misfit(`${where}: ${name}`, text, 'a text, or left out');
  }
  for (const [name, methods] of Object.entries(METHODS)) {
    const object = options[name as keyof typeof METHODS] as Record<string, unknown> | null | undefined;
    if (object !== undefined && !methods.every((method) => typeof object?.[method] === 'function'))
      throw misfit(`${where}: ${name}`, object, `an object with the functions ${methods.join(', ')}`);
  }
  return options;
}
