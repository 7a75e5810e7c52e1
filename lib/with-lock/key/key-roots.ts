import 'reflect-metadata';
import { inspect } from 'node:util';
import type { MistakeCode } from '../../engine/codes.js';
import { briefly } from '../../engine/errors.js';

const ENDING = ` [${'REDLOCK_E07' satisfies MistakeCode}]`;

/** A wrong definition of a key that only a call shows. No client can correct it, so it is answered with 500 and logged. */
export class KeyDefinitionError extends TypeError {
  readonly code = 'REDLOCK_E07';

  constructor(text: string, options?: ErrorOptions) {
    super(text.endsWith(ENDING) ? text : text + ENDING, options);
  }

  /** @internal Prints the error briefly, as errors of locks are printed, and without what a key function returned. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** A kind of handler, and what the parts of a key can be read from there. */
export interface HandlerKind {
  /** What it handles, for messages. */
  readonly what: string;
  readonly roots: readonly string[];
  /** The metadata keys that Nest's decorators leave on methods of this kind. */
  readonly marks: readonly string[];
}

export const HTTP: HandlerKind = {
  what: 'an HTTP request',
  roots: ['body', 'params', 'query', 'headers', 'user'],
  marks: ['path'],
};
export const RPC: HandlerKind = {
  what: 'a message of a microservice',
  roots: ['data', 'user'],
  marks: ['microservices:pattern'],
};
export const WS: HandlerKind = {
  what: 'a message of a WebSocket',
  roots: ['data', 'user'],
  marks: ['websockets:message_mapping'],
};
export const GRAPHQL: HandlerKind = {
  what: 'a GraphQL operation',
  roots: ['args', 'parent', 'user', 'headers'],
  marks: ['graphql:resolver_type', 'graphql:resolve_property', 'graphql:resolve_reference'],
};

const KINDS = [HTTP, RPC, WS, GRAPHQL];

/** Returns the kinds of handlers that a method is: none, usually one, or several in a hybrid application. */
export function kindsOf(method: object): readonly HandlerKind[] {
  return KINDS.filter(({ marks }) => marks.some((mark) => Reflect.hasMetadata(mark, method)));
}

/** All words that a part of a key can begin with; it can also begin with the position of an argument. */
export const ROOTS: readonly string[] = [...HTTP.roots, 'args', 'data', 'parent'];

/** Returns what the kinds of handlers with this root handle, such as 'an HTTP request'. */
function handledWith(root: string): string {
  return KINDS.filter(({ roots }) => roots.includes(root))
    .map(({ what }) => what)
    .join(' or ');
}

/** Returns the parts that a key can have in this kind of handler: `<data...>, <user...>`. */
function placesIn({ roots }: HandlerKind): string {
  return roots.map((root) => (root === 'args' ? '<args.name...>' : `<${root}...>`)).join(', ');
}

/** Returns the error for a part that cannot be read in this kind of handler: a mistake of the programmer that no client could correct. */
export function misplaced(part: string, kind: HandlerKind | undefined): KeyDefinitionError {
  return new KeyDefinitionError(misplacedText(part, kind));
}

export function misplacedText(part: string, kind: HandlerKind | undefined): string {
  const [root = ''] = part.split('.');
  const reads = `<${part}> reads from ${handledWith(root)}`;
  return kind === undefined
    ? `${reads}, and none is handled here; use <0...>, an argument of the method`
    : `${reads}, and this is ${kind.what}: use ${placesIn(kind)}, or <0...>, an argument of the method`;
}

/** Returns the error for a user that lacks a property: the user is set by a guard and not sent by the client. */
export function withoutProperty(part: string): KeyDefinitionError {
  return new KeyDefinitionError(`${part} is missing: the user that the guard has set has no such property`);
}

/** Returns the error for a request without a user: a caller without a user could never have this lock, and could not know why. */
export function withoutUser(): KeyDefinitionError {
  return new KeyDefinitionError(
    'the key reads <user>, and no guard has set request.user. If a guard admits anonymous callers, let it set request.user to null ' +
      '(they then get 400), or use a key function',
  );
}
