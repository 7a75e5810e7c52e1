import { LockKeyError } from '../../engine/errors.js';
import {
  type HandlerKind,
  HTTP,
  KeyDefinitionError,
  misplaced,
  ROOTS,
  withoutProperty,
  withoutUser,
} from './key-roots.js';
import { mistakenPartIn } from './mistaken-part.js';
import { createHash } from 'node:crypto';
import { mistake } from '../../engine/codes.js';

type Filter = (text: string) => string;

/** The filters for a part of a key, as in `<body.email|trim|lower>`. */
const FILTERS = {
  trim: (text: string) => text.trim(),
  lower: (text: string) => text.toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  /** For long values, and for those that should not be readable on the nodes. */
  hash: (text: string) => createHash('sha256').update(text).digest('base64url'),
};

export type KeyFilter = keyof typeof FILTERS;

export const KEY_FILTERS: Readonly<Record<string, Filter>> = FILTERS;

/** A part of a key template, such as `<body.email|trim|lower>`. */
interface KeyPart {
  readonly source: string;
  readonly root: string;
  /** The steps after the root. */
  readonly path: readonly string[];
  /** True for the position of an argument of the method; `args` with a name is an argument of a GraphQL operation. */
  readonly isPosition: boolean;
  readonly filters: readonly Filter[];
}

const INDEX = /^\d+$/;
/** Matches what no name contains. Names of headers, claims and JSON-LD may well contain `-`, `:`, `/`, `@`, `$` or `#`. */
const NO_NAME = /[\s?!()[\]{}"'`,;=&\\^]/;
/** The roots that are no text themselves, so that a part has to name one of their properties. */
const WITH_NAMES = ['params', 'query', 'headers'];

/** @throws TypeError for a text that is no part of a key */
function toPart(source: string, template: string): KeyPart {
  const [expression = '', ...filterNames] = source.split('|').map((part) => part.trim());
  const [root = '', ...path] = stepsOf(expression, source, template);
  return {
    source: expression,
    root,
    path: root === 'headers' ? path.map((step) => step.toLowerCase()) : path,
    isPosition: root === 'args' && INDEX.test(path[0]!),
    filters: filterNames.map((name) => toFilter(name, template)),
  };
}

/** Returns the steps of a path, beginning with the root: `0.email` is short for `args.0.email`. */
function stepsOf(expression: string, source: string, template: string): readonly string[] {
  const steps = expression.split('.');
  const [found] = NO_NAME.exec(expression) ?? [];
  if (steps.includes('') || found !== undefined) {
    const why = found === undefined ? '' : `: "${found}" is in none; for such a name, use a key function`;
    throw malformed(template, `"<${source}>" is not a path such as <body.email> or <body.items.0.id>${why}`);
  }
  const [root = ''] = steps;
  if (INDEX.test(root)) return ['args', ...steps];
  if (expression === 'args')
    throw malformed(template, `"<${source}>" needs the name or position of an argument, as in <args.0.email>`);
  if (WITH_NAMES.includes(expression))
    throw malformed(template, `"<${source}>" needs the name of one of them, as in <${root}.id>`);
  if (!ROOTS.includes(root))
    throw malformed(template, `"${root}" is none of ${ROOTS.join(', ')} or the position of an argument`);
  return steps;
}

function toFilter(name: string, template: string): Filter {
  const filter = Object.hasOwn(KEY_FILTERS, name) ? KEY_FILTERS[name] : undefined;
  if (filter) return filter;
  throw malformed(template, `there is no filter "${name}"; there are ${Object.keys(KEY_FILTERS).join(', ')}`);
}

function malformed(template: string, why: string): TypeError {
  return mistake('REDLOCK_E06', `The lock key "${template}" is malformed: ${why}`);
}

/** What the parts of a key are read from. */
export interface KeySource {
  /** The request, message or operation, if the method handles one. */
  readonly request?: object | undefined;
  /** @default that of an HTTP request */
  readonly kind?: HandlerKind | undefined;
  /** The arguments of the method, if they are known. */
  readonly args?: readonly unknown[] | undefined;
}

/** A key such as `user:<body.email|trim|lower>`, checked when it is compiled and filled in for each call. */
export class KeyTemplate {
  readonly #literals: readonly string[];
  readonly #parts: readonly KeyPart[];
  readonly #reserved: RegExp | undefined;
  /** The parts that were there in some call. */
  readonly #seen = new Set<KeyPart>();

  /** @throws TypeError for a malformed template */
  constructor(
    readonly text: string,
    private readonly neverThere: (part: string) => void = () => undefined,
  ) {
    const pieces = text.split(/<([^<>]*)>/);
    this.#literals = pieces.filter((_, index) => index % 2 === 0);
    this.#parts = pieces.filter((_, index) => index % 2 === 1).map((source) => toPart(source, text));
    this.#checkLiterals();
    if (!this.isConstant) this.#reserved = reservedIn(this.#literals, text);
  }

  get isConstant(): boolean {
    return this.#parts.length === 0;
  }

  /** True if the key can only be made once the arguments of the method are known. */
  get needsArguments(): boolean {
    return this.#parts.some(({ isPosition }) => isPosition);
  }

  /** The positions of the arguments that the key reads by position. */
  get positions(): readonly number[] {
    return this.#parts.flatMap(({ isPosition, path }) => (isPosition ? [Number(path[0])] : []));
  }

  /** The parts that are read from a request, message or operation, such as `body.email`. */
  get requestParts(): readonly string[] {
    return this.#parts.flatMap(({ isPosition, root, path }) => (isPosition ? [] : [[root, ...path].join('.')]));
  }

  /**
   * Returns the key of one call.
   * @throws LockKeyError if a part is missing, empty, or neither text, number, bigint nor boolean; KeyDefinitionError if a part is read from a
   * request and there is none, or one of another kind, or from a user that nothing has set, that lacks the property, or whose property has no text
   */
  fill(source: KeySource): string {
    const values = this.#parts.map((part) => this.#escape(this.#read(part, source)));
    return this.#literals.reduce((key, literal, index) => key + (values[index - 1] ?? '') + literal);
  }

  #read(part: KeyPart, from: KeySource): string {
    const { path, filters, source } = part;
    const root = rootOf(part, from);
    const value = path.reduce<unknown>(propertyOf, root);
    if (value !== undefined && value !== null) this.#seen.add(part);
    else if (!this.#seen.has(part)) this.neverThere(source.split('|')[0]!);
    if (value === undefined && part.root === 'user' && isObject(root)) throw withoutProperty(source);
    if (part.root === 'user' && isUnusable(value)) throw unusableUser(source);
    const given = toText(value) ?? '';
    // Also checked before the filters: the hash of an empty text is not empty, and the halves of all surrogate pairs have one hash.
    const text = given.isWellFormed() ? filters.reduce((result, filter) => result && filter(result), given) : '';
    if (text !== '') return text;
    throw new LockKeyError(`${source.split('|')[0]} is ${complaint(value)}, so the key ${this.text} cannot be made`);
  }

  /** Encodes separators within a value, which could make the key of this call equal to another one, of this template or of others. */
  #escape(text: string): string {
    return this.#reserved ? text.replace(this.#reserved, percentEncode) : text;
  }

  #checkLiterals(): void {
    const open = this.#literals.find((literal) => literal.includes('<'));
    if (open !== undefined)
      throw malformed(this.text, `"${open.slice(open.indexOf('<'))}" opens a part that is never closed by ">"`);
    if (this.text === '') throw malformed(this.text, 'it is empty');
    const mistaken = mistakenPartIn(this.#literals);
    if (mistaken) {
      throw malformed(
        this.text,
        `"${mistaken.found}" is the same for all calls, which would share one lock; write ${mistaken.meant}. If that is the name, ` +
          'let a key function return it',
      );
    }
    if (!this.text.isWellFormed()) throw malformed(this.text, 'it has half of a surrogate pair');
    if (!this.isConstant && this.#literals.some((literal) => literal.includes('%')))
      throw malformed(this.text, '"%" stands for what is encoded in its parts; leave it out, or use a key function');
  }
}

/** Matches a separator: any ASCII character but letters, digits, and those that names, ids and e-mail addresses are made of. */
const SEPARATORS = '(?![\\w .@+-])\\p{ASCII}';
const NO_LETTER = /[^\p{L}\p{N}]/u;
const AT_THE_BEGINNING = /^[^\p{L}\p{N}]/u;
const AT_THE_END = /[^\p{L}\p{N}]$/u;

/**
 * Returns a pattern for what is encoded in values: all separators, and the characters that this template has beside and between
 * its parts, even if they are no separators elsewhere. Hex digits alone do not separate two parts, because they cannot be told
 * from an encoded character.
 */
function reservedIn(literals: readonly string[], template: string): RegExp {
  const beside = literals.flatMap((literal, index) => [
    index > 0 ? AT_THE_BEGINNING.exec(literal)?.[0] : undefined,
    index < literals.length - 1 ? AT_THE_END.exec(literal)?.[0] : undefined,
  ]);
  const between = literals.slice(1, -1).map((literal) => (NO_LETTER.exec(literal) ?? /[^0-9A-F]/u.exec(literal))?.[0]);
  if (between.includes(undefined)) {
    throw malformed(template, 'put a separator such as ":" between two parts, not only 0-9 or A-F');
  }
  const marks = [...beside, ...between].join('').replace(/[\\\]^-]/g, '\\$&');
  return new RegExp(marks === '' ? SEPARATORS : `${SEPARATORS}|[${marks}]`, 'gu');
}

function percentEncode(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');
}

function rootOf({ root, path, isPosition }: KeyPart, { request, kind = HTTP, args }: KeySource): unknown {
  if (isPosition) return args ?? [];
  if (request === undefined || !kind.roots.includes(root)) throw misplaced([root, ...path].join('.'), request && kind);
  // A user that was set to nothing is an anonymous client. Messages and operations may have none: a client signs in after it has connected.
  if (root === 'user' && kind === HTTP && !('user' in request)) throw withoutUser();
  return (request as Record<string, unknown>)[root];
}

/** Returns a property, also by a getter of a class, but nothing that all objects inherit: a key consists of data of the caller. */
function propertyOf(value: unknown, step: string): unknown {
  if (!isObject(value)) return undefined;
  const known = Object.hasOwn(value, step) || (step in value && !(step in Object.prototype));
  return known ? (value as Record<string, unknown>)[step] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns the text of a value; undefined for a value that has no unambiguous text. */
export function toText(value: unknown): string | undefined {
  const usable =
    typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' || Number.isFinite(value);
  return usable ? String(value) : undefined;
}

/** Returns whether a value is there, and has no text. */
function isUnusable(value: unknown): boolean {
  return value !== undefined && value !== null && toText(value) === undefined;
}

/** Returns the error for a part of the user that has no text, such as an `ObjectId`: no client could correct it. */
function unusableUser(part: string): KeyDefinitionError {
  return new KeyDefinitionError(
    `${part} is not a text, number or boolean, and the guard has set it, not the client. Write a property that is a string, such as ` +
      '<user.email>, or let the guard set one, such as the toString() of an ObjectId',
  );
}

function complaint(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  const text = toText(value);
  if (text === undefined) return 'not a text, number or boolean';
  return text.isWellFormed() ? 'empty' : 'not well-formed Unicode (it has half of a surrogate pair)';
}
