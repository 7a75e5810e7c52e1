import { inspect } from 'node:util';
import { LockKeyError } from '../core/errors.js';
import { toResources } from '../core/resources.js';
import { KeyTemplate, toText, type KeySource } from './key-template.js';

type Part = string | number | bigint;

/** What to lock: one template, several, or a function of the method's arguments. */
export type LockKey = string | readonly string[] | ((...args: never[]) => Part | readonly Part[]);

/** A lock key, compiled once where the class is defined. */
export interface CompiledKey {
  /** True where it can only be resolved around the method itself, not before its pipes. */
  readonly needsArguments: boolean;
  /** @throws LockKeyError where the call has no usable key */
  resolve(source: KeySource): readonly string[];
}

/** @throws TypeError for a malformed template */
export function compileKey(key: LockKey): CompiledKey {
  if (typeof key === 'function') {
    return { needsArguments: true, resolve: ({ args = [] }) => fromFunction(key(...(args as never[]))) };
  }
  const templates = toTemplates(key);
  // What no call can change is checked now.
  const constant = templates.filter((template) => template.isConstant).map(({ text }) => text);
  if (constant.length > 0) toResources(constant);
  return {
    needsArguments: templates.some((template) => template.needsArguments),
    resolve: (source) => toResources(templates.map((template) => template.fill(source))),
  };
}

/** Numbers are welcome as in templates: an id often is one. */
function fromFunction(result: Part | readonly Part[]): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  const texts = Array.from(parts, toText);
  if (texts.length > 0 && texts.every(Boolean)) return toResources(texts as string[]);
  throw new LockKeyError(`The key function must return a text, a number or several; it returned ${inspect(result)}`);
}

function toTemplates(key: string | readonly string[]): readonly KeyTemplate[] {
  const texts: readonly unknown[] = Array.isArray(key) ? key : [key];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string')) {
    throw new TypeError('@WithLock takes a key template, an array of at least one, or a function that returns them');
  }
  if (new Set(texts).size < texts.length)
    throw new TypeError(`Each key stands once in a lock; got ${texts.join(', ')}`);
  return texts.map((text) => new KeyTemplate(text as string));
}
