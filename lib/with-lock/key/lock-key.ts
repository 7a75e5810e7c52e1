import { LockKeyError } from '../../engine/errors.js';
import { toResources } from '../../engine/resources.js';
import { KeyDefinitionError } from './key-roots.js';
import { type KeySource, KeyTemplate, toText } from './key-template.js';
import { coded, mistake } from '../../engine/codes.js';
import type { SafeLogger } from '../../logging/safe-logger.js';
import { locateErrors } from '../../start-up/error-location.js';

type Part = string | number | bigint;

/** Matches `undefined` as a word of its own. */
const UNDEFINED = /(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])/u;

/** What to lock: a key template, several templates, or a function of the arguments of the method. */
export type LockKey = string | readonly string[] | ((...args: never[]) => Part | readonly Part[]);

/** A lock key, compiled once where the class is defined. */
export interface CompiledKey {
  /** Its templates in one text, which names its calls in telemetry; undefined for a function. */
  readonly template: string | undefined;
  /** True if the key can be resolved only around the method itself, and not before its pipes. */
  readonly needsArguments: boolean;
  /** What its templates read from a request, message or operation, such as `body.email`. */
  readonly requestParts: readonly string[];
  /** The positions of the arguments that its templates read. */
  readonly positions: readonly number[];
  /** How many resources the key makes, if that is known before a call. */
  readonly count: number | undefined;
  /** @throws LockKeyError if the client has sent no usable key; KeyDefinitionError if no client could have sent one */
  resolve(source: KeySource): readonly string[];
}

/**
 * @param neverThere called with a part of a template that is missing in a call, and was missing in every call before
 * @throws TypeError for a malformed template
 */
export function compileKey(key: LockKey, neverThere: (part: string) => void = () => undefined): CompiledKey {
  if (typeof key === 'function') {
    const resolve = ({ args = [] }: KeySource): readonly string[] => fromFunction(key(...(args as never[])));
    return { template: undefined, needsArguments: true, requestParts: [], positions: [], count: undefined, resolve };
  }
  const templates = toTemplates(key, neverThere);
  // Templates without parts are the same for every call, so they are checked now.
  const constant = templates.filter((template) => template.isConstant).map(({ text }) => text);
  if (constant.length > 0) toResources(constant);
  return {
    template: templates.map(({ text }) => text).join(', '),
    needsArguments: templates.some((template) => template.needsArguments),
    requestParts: templates.flatMap((template) => template.requestParts),
    positions: templates.flatMap((template) => template.positions),
    count: templates.length,
    // Two templates may make one name, as for a transfer from an account to itself: that is one resource.
    resolve: (source) => toResources([...new Set(templates.map((template) => template.fill(source)))]),
  };
}

/** Returns the key of a method, with errors that name the method, because a call may be far from it. @throws TypeError for a malformed template */
export function compileMethodKey(lockKey: LockKey, where: string, logger: SafeLogger): CompiledKey {
  const warned = new Set<string>();
  const neverThere = (part: string): void => {
    if (warned.has(part)) return;
    warned.add(part);
    const text = `${where}: <${part}> was missing in every call so far, and such calls fail. If the name is misspelt, correct the key`;
    logger.warn(coded('REDLOCK_W10', text));
  };
  const key = locateErrors(where, () => compileKey(lockKey, neverThere));
  const resolve = (source: KeySource): readonly string[] => {
    try {
      return key.resolve(source);
    } catch (error) {
      throw inMethod(error, where);
    }
  };
  return { ...key, resolve };
}

/** Adds the name of the method to a `KeyDefinitionError`. Returns any other error unchanged, including errors that a key function throws. */
function inMethod(error: unknown, where: string): unknown {
  if (!(error instanceof KeyDefinitionError)) return error;
  return new KeyDefinitionError(`${where}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
}

/** Returns what templates make from arguments, for locks that are taken by hand. */
export function namesOf(template: string | readonly string[], args: readonly unknown[]): readonly string[] {
  if (typeof template === 'function')
    throw mistake('REDLOCK_E04', 'key takes a key template, or an array of at least one');
  const key = compileKey(template);
  const unused = args.findIndex((_, index) => !key.positions.includes(index));
  if (unused < 0) return key.resolve({ args });
  throw mistake(
    'REDLOCK_E04',
    `key: nothing in "${key.template}" reads argument ${unused}; write <${unused}> where it belongs`,
  );
}

/** Returns the resources from the result of a key function. Numbers are allowed as they are in templates, because ids often are numbers. */
function fromFunction(result: Part | readonly Part[]): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  const texts = Array.from(parts, toText);
  if (texts.length === 0 || !texts.every(Boolean)) throw unusable(result, parts);
  for (const text of texts as string[]) checkText(text);
  // A function may name one resource twice, such as an article that is twice in a basket.
  return toResources([...new Set(texts as string[])]);
}

/**
 * Returns the error for an unusable result. What is missing in it may be missing in what the client has sent; all else is
 * a mistake of the function.
 */
function unusable(result: unknown, parts: readonly unknown[]): Error {
  const message = `The key function must return a text, a number or several; it returned ${kindOf(result)}`;
  const cause = new KeyFunctionResult(result);
  if (parts.length === 0 || parts.some(isMistake)) return new KeyDefinitionError(message, { cause });
  return Object.defineProperty(new LockKeyError(message), 'cause', { value: cause });
}

/** Refuses what JavaScript makes within a text from a missing value or an object: all such calls would share one lock. */
function checkText(text: string): void {
  if (text.includes('[object '))
    throw new KeyDefinitionError('The key function put an object into a text: name one of its properties');
  if (UNDEFINED.test(text))
    throw new LockKeyError('The key function put "undefined" into a text: something that it reads is missing');
}

function isMistake(part: unknown): boolean {
  return part !== undefined && part !== null && toText(part) === undefined;
}

/** What a key function returned: code can read it, but no log that prints errors with their causes shows it. */
class KeyFunctionResult {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get value(): unknown {
    return this.#value;
  }
}

/** Returns what a value is, without its contents. */
function kindOf(result: unknown): string {
  if (result === '') return 'an empty text';
  if (Array.isArray(result)) return kindOfList(Array.from<unknown>(result));
  if (result instanceof Promise) return 'a promise';
  if (result === null || result === undefined || typeof result === 'number') return String(result);
  return typeof result === 'object' ? 'an object' : `a ${typeof result}`;
}

function kindOfList(parts: readonly unknown[]): string {
  if (parts.length === 0) return 'an empty list';
  return `a list with ${kindOf(parts.find(isMistake) ?? parts.find((part) => !toText(part)))} in it`;
}

function toTemplates(key: string | readonly string[], neverThere: (part: string) => void): readonly KeyTemplate[] {
  const texts: readonly unknown[] = Array.isArray(key) ? key : [key];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string')) {
    throw mistake(
      'REDLOCK_E06',
      'A lock takes a key template, an array of at least one, or with @WithLock a function that returns them',
    );
  }
  const duplicate = texts.find((text, index) => texts.indexOf(text) !== index);
  if (duplicate !== undefined) throw mistake('REDLOCK_E06', `Duplicate key "${duplicate as string}"`);
  return texts.map((text) => new KeyTemplate(text as string, neverThere));
}
