import 'reflect-metadata';
import type { ExecutionContext } from '@nestjs/common';

/** What is read of a request of Express or Fastify. */
export interface HttpRequest {
  readonly method?: string;
  readonly baseUrl?: string;
  /** The route as Express knows it. */
  readonly route?: { readonly path?: string | RegExp | readonly (string | RegExp)[] };
  /** The route as Fastify knows it. */
  readonly routeOptions?: { readonly url?: string };
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders?: readonly string[];
  /** Node's own request, which Fastify has here. */
  readonly raw?: { readonly rawHeaders?: readonly string[] };
}

/** The metadata key of Nest's `@Version`. */
const VERSION = '__version__';

/** Returns the method and the pattern of the route, such as `POST /orders/:id/pay`, with the version if the path does not name it. */
export function routeOf(request: HttpRequest, context: ExecutionContext): string {
  const path = request.routeOptions?.url ?? `${request.baseUrl ?? ''}${String(request.route?.path ?? '')}`;
  const version: unknown =
    Reflect.getMetadata(VERSION, context.getHandler()) ?? Reflect.getMetadata(VERSION, context.getClass());
  const suffix = version === undefined ? '' : ` (version ${[version].flat().map(String).join(', ')})`;
  return `${request.method ?? ''} ${path}${suffix}`;
}

/** Returns what a request asks for, as JSON can say it: two requests with the same content may share one reply. */
export function contentOf(request: HttpRequest, context: ExecutionContext): unknown {
  return [routeOf(request, context), request.params, request.query, bodyOf(request)];
}

/** Returns whether two requests with different bodies may look the same, because nobody has parsed the body, and it has no digest. */
export function hasUnknownBody({ body, headers }: HttpRequest): boolean {
  return headers['content-digest'] === undefined && !isParsed(body, mediaTypeOf(headers), headers);
}

/** Returns the body; of a body that nobody has parsed yet, what the headers say about it. */
function bodyOf({ body, headers }: HttpRequest): unknown {
  const type = mediaTypeOf(headers);
  if (isParsed(body, type, headers)) return { body };
  const { 'content-digest': digest, 'content-length': length } = headers;
  return digest === undefined ? { type, length } : { digest };
}

/** Returns the type without its parameters: the boundary of a form is another one in each request. */
function mediaTypeOf(headers: HttpRequest['headers']): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
}

const PARSED_BY_DEFAULT = /^application\/(?:json|x-www-form-urlencoded)$/;

function isParsed(body: unknown, type: string, headers: HttpRequest['headers']): boolean {
  if (type.startsWith('multipart/')) return false;
  if (typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function') return false;
  const hasContent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasContent) return true;
  // Without a parser, as with `bodyParser: false`, there is no body; null is the JSON of one.
  if (PARSED_BY_DEFAULT.test(type)) return body !== undefined;
  if (body === undefined || body === null) return false;
  // If nothing has parsed the body, some adapters put an empty object.
  return typeof body !== 'object' || body instanceof Uint8Array || Object.keys(body).length > 0;
}
