import type { ModulesContainer } from '@nestjs/core';
import type { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';

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
