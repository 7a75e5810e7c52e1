import type { Attributes, Histogram, Meter, ObservableGauge, ObservableUpDownCounter } from '@opentelemetry/api';
import type { AcquireMessage } from '../engine/channels.js';
import type { RedlockTelemetryOptions } from './redlock-telemetry.options.js';
import type { ModulesContainer } from '@nestjs/core';
import type { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';

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

/** Seconds, from a lock that nobody else wants to one that is waited for. */
const WAITS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds, for one question to one node or to all of them. */
const ANSWERS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Creates a histogram of what takes as long as waiting for a lock, or holding it. */
export function waitHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: WAITS } });
}

/** Creates a histogram of what takes as long as the answers of nodes. */
export function answerHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: ANSWERS } });
}

export function counts(meter: Meter, name: string, [unit, description]: [string, string]): ObservableUpDownCounter {
  return meter.createObservableUpDownCounter(name, { unit, description });
}

export function gauge(meter: Meter, name: string, [unit, description]: [string, string]): ObservableGauge {
  return meter.createObservableGauge(name, { unit, description });
}

/** A pool of the application. */
export interface Pool {
  readonly name: string | undefined;
  readonly service: Pick<RedlockService, 'status'>;
}

const NAMED = new RegExp(`^${getRedlockToken()}\\((.*)\\)$`, 's');

/** Returns the pools that are registered in the modules of an application, by their tokens: two copies of this package agree on those. */
export function poolsOf(modules: ModulesContainer): Pool[] {
  const pools = [...modules.values()].flatMap(({ providers }) =>
    [...providers].flatMap(([token, { instance }]) => poolOf(token, instance) ?? []),
  );
  return pools.filter(({ service }, index) => pools.findIndex((pool) => pool.service === service) === index);
}

function poolOf(token: unknown, instance: unknown): Pool | undefined {
  if (typeof token !== 'string' || !hasStatus(instance)) return undefined;
  if (token === getRedlockToken()) return { name: undefined, service: instance };
  const name = NAMED.exec(token)?.[1];
  return name === undefined ? undefined : { name, service: instance };
}

/** Providers are made one after the other, and a test double may lack any method. */
function hasStatus(instance: unknown): instance is Pool['service'] {
  return typeof (instance as Partial<RedlockService> | null | undefined)?.status === 'function';
}
