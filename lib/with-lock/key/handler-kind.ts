import 'reflect-metadata';
import { KeyMistake } from './key-mistake.js';

/** One kind of handler, and what the parts of a key may be read from there. */
export interface HandlerKind {
  /** What it handles, for messages. */
  readonly what: string;
  readonly roots: readonly string[];
  /** What Nest's decorators leave on methods that handle one. */
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

/** What a method handles: nothing, usually one kind, or several in a hybrid application. */
export function kindsOf(method: object): readonly HandlerKind[] {
  return KINDS.filter(({ marks }) => marks.some((mark) => Reflect.hasMetadata(mark, method)));
}

/** All that a key may begin with, but the position of an argument. */
export const ROOTS: readonly string[] = [...HTTP.roots, 'args', 'data', 'parent'];

/** What handlers that know this root handle. */
function handledWith(root: string): string {
  return KINDS.filter(({ roots }) => roots.includes(root))
    .map(({ what }) => what)
    .join(' or ');
}

/** `<data...>, <user...>`, as they may stand in a key. */
function placesIn({ roots }: HandlerKind): string {
  return roots.map((root) => (root === 'args' ? '<args.name...>' : `<${root}...>`)).join(', ');
}

/** Why a part cannot be read where it stands: a mistake of the programmer, and nothing that a client could correct. */
export function misplaced(part: string, kind: HandlerKind | undefined): KeyMistake {
  const [root = ''] = part.split('.');
  const reads = `<${part}> reads from ${handledWith(root)}`;
  return new KeyMistake(
    kind === undefined
      ? `${reads}, and none is handled here; use <0...>, an argument of the method`
      : `${reads}, and this is ${kind.what}: use ${placesIn(kind)}, or <0...>, an argument of the method`,
  );
}

/** Why there is nothing to lock by: who a user is comes from a guard, and not from what a client sends. */
export function withoutProperty(part: string): KeyMistake {
  return new KeyMistake(`${part} is missing: the user that the guard has set has no such property`);
}

/** Why there is nobody to lock by: a caller that comes in without a user can never have this lock, and cannot know that. */
export function withoutUser(): KeyMistake {
  return new KeyMistake(
    'the key is made of the user, and no guard has set request.user. A guard that lets anonymous callers in sets it to null, so that ' +
      'they are told that something is missing, or a key function finds something else to lock them by',
  );
}
