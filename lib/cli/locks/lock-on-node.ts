import type { ChainableCommander } from 'ioredis';
import { FAMILIES } from '../../core/port/key-families.js';
import type { NodeSession } from '../nodes/node-session.js';

const RESOURCES_PER_CALL = 100;

/** A caller that stands in line on a node. */
export interface WaiterOnNode {
  readonly value: string;
  /** The channel on which its process is told that it is its turn. */
  readonly channel: string;
}

/** What one node has under the key of a resource. */
export interface LockOnNode {
  /** Undefined where there is nothing. */
  readonly value?: string | undefined;
  /** The type of data that is no lock; undefined for a lock, and for nothing. */
  readonly type?: string | undefined;
  /** Ms until it ends by itself; null where it never does. */
  readonly ttl?: number | null | undefined;
  readonly waiters: readonly WaiterOnNode[];
}

type Results = readonly (readonly [error: Error | null, result: unknown])[];

/** Returns what a node has of these resources, in their order. @throws Error where the node does not answer */
export async function locksOn(session: NodeSession, resources: readonly string[]): Promise<LockOnNode[]> {
  const locks: LockOnNode[] = [];
  for (let at = 0; at < resources.length; at += RESOURCES_PER_CALL) {
    const keys = resources.slice(at, at + RESOURCES_PER_CALL).map((name) => session.settings.keyPrefix + name);
    const results = await ask(session, (pipeline) => {
      for (const key of keys) pipeline.get(key).pttl(key).zrange(`${key}${FAMILIES.line}`, '0', '-1');
    });
    const found = keys.map((_, index) => lockOf(results.slice(3 * index, 3 * index + 3)));
    locks.push(...(await withTypes(session, keys, found)));
  }
  return locks;
}

async function ask(session: NodeSession, fill: (pipeline: ChainableCommander) => void): Promise<Results> {
  const results = await session.ask(async (redis) => {
    const pipeline = redis.pipeline();
    fill(pipeline);
    return pipeline.exec();
  });
  return results ?? [];
}

function lockOf([get, pttl, zrange]: Results): LockOnNode {
  const waiters = Array.isArray(zrange?.[1]) ? zrange[1].map((place) => waiterOf(String(place))) : [];
  const isOther = get?.[0]?.message.startsWith('WRONGTYPE') ?? false;
  if (!isOther && get?.[0]) throw get[0];
  if (!isOther && get?.[1] === null) return { waiters };
  const left = Number(pttl?.[1] ?? -1);
  return {
    ...(isOther ? { type: 'data of another type' } : { value: String(get?.[1]) }),
    ttl: left === -1 ? null : Math.max(0, left),
    waiters,
  };
}

/** Reads a place in line: "ttl value channel". */
function waiterOf(place: string): WaiterOnNode {
  const [, value = '', channel = ''] = /^\d+ (\S+) (.*)$/s.exec(place) ?? [];
  return { value, channel };
}

/** Asks for the types of what is no lock; TYPE is a right that locks do not need, so the node may refuse it. */
async function withTypes(
  session: NodeSession,
  keys: readonly string[],
  locks: readonly LockOnNode[],
): Promise<LockOnNode[]> {
  const others = keys.filter((_, index) => locks[index]!.type !== undefined);
  if (others.length === 0) return [...locks];
  const results = await ask(session, (pipeline) => {
    for (const key of others) pipeline.type(key);
  });
  const types = new Map(others.map((key, index) => [key, results[index]?.[1]]));
  return locks.map((lock, index) => {
    const type = types.get(keys[index]!);
    return typeof type === 'string' && type !== 'none' ? { ...lock, type } : lock;
  });
}
