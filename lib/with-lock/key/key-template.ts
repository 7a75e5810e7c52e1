import { LockKeyError } from '../../engine/errors.js';
import { HTTP, misplaced, withoutProperty, withoutUser, type HandlerKind } from './key-roots.js';
import { malformed, toPart, type KeyPart } from './key-part.js';
import { strayPartIn } from './stray-part.js';

/** What the parts of a key are read from. */
export interface KeySource {
  /** The request, message or operation, where the method handles one. */
  readonly request?: object | undefined;
  /** @default that of an HTTP request */
  readonly kind?: HandlerKind | undefined;
  /** The arguments of the method, where they are known. */
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

  /** True where the key can only be made once the arguments of the method are known. */
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
   * @throws LockKeyError where a part is missing, empty, or neither text, number, bigint nor boolean; KeyDefinitionError where a part is read from a
   * request and there is none, or one of another kind, or from a user that nothing has set or that lacks the property
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
    const stray = strayPartIn(this.#literals);
    if (stray) {
      throw malformed(
        this.text,
        `"${stray.found}" is the same for all calls, which would share one lock; write ${stray.meant}. Where that is the name, ` +
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
    throw malformed(template, 'two parts need a separator between them that is more than digits or A to F');
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

function complaint(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  const text = toText(value);
  if (text === undefined) return 'not a text, number or boolean';
  return text.isWellFormed() ? 'empty' : 'not well-formed Unicode (it has half of a surrogate pair)';
}
