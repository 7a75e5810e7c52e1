import type { Attributes } from '@opentelemetry/api';
import type { AcquireMessage } from '../engine/messages.js';
import type { RedlockTelemetryOptions } from './redlock-telemetry.options.js';

export type ResourceNaming = NonNullable<RedlockTelemetryOptions['resource']>;

type Call = Pick<AcquireMessage, 'pool' | 'template'>;

/** Returns the attributes that all metrics and spans of a call have: their values are constants of the program, never those of a request. */
export function attributesOf({ pool, template }: Call, resource: ResourceNaming): Attributes {
  const named = template !== undefined && resource !== 'none';
  return { 'redlock.pool': poolName(pool), ...(named && { 'redlock.resource.template': template }) };
}

/** Returns how telemetry names a pool. */
export function poolName(pool: string | undefined): string {
  return pool ?? 'default';
}

/** Returns the attributes of a node by its name, which is a URL unless the node is a socket or in memory. */
export function serverOf(node: string): Attributes {
  const url = URL.canParse(node) ? new URL(node) : undefined;
  if (!url?.hostname) return { 'server.address': node };
  const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { 'server.address': address, ...(url.port !== '' && { 'server.port': Number(url.port) }) };
}

/** Returns the `error.type` of an error: its code, if it has one. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'Error';
}
