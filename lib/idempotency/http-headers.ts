import type { KeptHeaders } from './record.js';

/** What is needed of a response of Express or Fastify to read its headers. */
export interface HeaderSource {
  getHeaders(): Readonly<Record<string, number | string | readonly string[] | undefined>>;
}

/** The headers of a response at one time, by their names in lower case. */
export type HeaderSnapshot = ReadonlyMap<string, readonly string[]>;

export const KEPT_BY_DEFAULT: readonly string[] = [
  'location',
  'content-location',
  'etag',
  'last-modified',
  'link',
  'content-language',
  'content-disposition',
  'cache-control',
];

/** What belongs to one request, one connection or one client. */
const NEVER_KEPT = new Set([
  'set-cookie',
  'date',
  'connection',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'vary',
  'www-authenticate',
  'authorization',
  'retry-after',
  'x-request-id',
  'traceparent',
  'idempotent-replayed',
]);

export function isNeverKept(name: string): boolean {
  return NEVER_KEPT.has(name) || /^(?:x-)?ratelimit(?:-|$)/.test(name);
}

export function snapshotOf(response: HeaderSource): HeaderSnapshot {
  const entries = Object.entries(response.getHeaders());
  return new Map(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().map(String)] as const],
    ),
  );
}

/** Returns what is kept of the headers that have appeared or changed; that of the content always, since the value is nothing without its type. */
export function keptHeaders(before: HeaderSnapshot, after: HeaderSnapshot, list: ReadonlySet<string>): KeptHeaders {
  return changedHeaders(before, after)
    .filter((name) => list.has(name) || name === 'content-type')
    .flatMap((name) => after.get(name)!.map((value) => [name, value] as const));
}

/** Returns the names of the headers that have appeared or changed. */
export function changedHeaders(before: HeaderSnapshot, after: HeaderSnapshot): string[] {
  return [...after.keys()].filter((name) => String(before.get(name)) !== String(after.get(name)));
}

/** Returns the values of each name. */
export function grouped(headers: KeptHeaders): Map<string, string | string[]> {
  const groups = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const others = groups.get(name);
    groups.set(name, others === undefined ? value : [others, value].flat());
  }
  return groups;
}
