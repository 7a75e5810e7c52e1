/** One kind of handler, and what the parts of a key may be read from there. */
export interface HandlerKind {
  /** What it handles, for messages. */
  readonly what: string;
  readonly roots: readonly string[];
}

export const HTTP: HandlerKind = { what: 'an HTTP request', roots: ['body', 'params', 'query', 'headers', 'user'] };
export const RPC: HandlerKind = { what: 'a message of a microservice', roots: ['data', 'user'] };
export const WS: HandlerKind = { what: 'a message of a WebSocket', roots: ['data', 'user'] };
export const GRAPHQL: HandlerKind = { what: 'a GraphQL operation', roots: ['args', 'parent', 'user', 'headers'] };

const KINDS = [HTTP, RPC, WS, GRAPHQL];

/** All that a key may begin with, but the position of an argument. */
export const ROOTS: readonly string[] = [...HTTP.roots, 'args', 'data', 'parent'];

/** What handlers that know this root handle. */
export function handledWith(root: string): string {
  return KINDS.filter(({ roots }) => roots.includes(root))
    .map(({ what }) => what)
    .join(' or ');
}

/** `<data...>, <user...>`, as they may stand in a key. */
export function placesIn({ roots }: HandlerKind): string {
  return roots.map((root) => (root === 'args' ? '<args.name...>' : `<${root}...>`)).join(', ');
}
