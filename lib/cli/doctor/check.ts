import { performance } from 'node:perf_hooks';
import { fieldsOf } from '../../redis/server-info.js';
import { literal, resourceOf, scan } from '../locks/list-locks.js';
import { type LockOnNode, locksOn } from '../locks/lock-view.js';
import type { NodeSession } from '../nodes/node-session.js';
import { overviewOf, type NodeReport, type Overview } from '../nodes/overview.js';
import type { Settings } from '../settings.js';

/**
 * - error: the node gives no votes, or locks on it are not safe.
 * - warning: locks are slower, less fair or less available than they could be.
 * - advice: could be better in another way, or cannot be seen from outside.
 */
export type Severity = 'error' | 'warning' | 'advice';

/** What is wrong, why that matters, and what to do. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
  /** Undefined if it concerns all nodes. */
  readonly node?: string | undefined;
}

/** One node as checks see it. */
export interface CheckedNode {
  readonly session: NodeSession;
  readonly report: NodeReport;
  /** The fields of INFO; empty if the node does not tell. */
  readonly info: ReadonlyMap<string, string>;
  /** Ms that the node took to answer some PINGs, in rising order. */
  readonly pings: readonly number[];
  readonly keys: KeysOnNode;
}

export interface CheckedPool {
  readonly settings: Settings & DoctorOptions;
  readonly overview: Overview;
  /** The nodes that answer. */
  readonly nodes: readonly CheckedNode[];
}

export interface DoctorOptions {
  /** Ms that the application lets a node take to answer. */
  readonly nodeTimeout: number;
  /** The user whose permissions are checked; undefined for the user of the address. */
  readonly aclUser?: string | undefined;
}

export interface Check {
  readonly name: string;
  find(pool: CheckedPool): Promise<readonly Finding[]> | readonly Finding[];
}

/** What is found on one node; undefined for nothing. */
export type NodeFinding = Omit<Finding, 'node'> | undefined;

/** Returns a check that looks at each node by itself. */
export function checkOfNode(
  name: string,
  look: (node: CheckedNode, pool: CheckedPool) => Promise<NodeFinding> | NodeFinding,
): Check {
  return {
    name,
    find: async (pool) => {
      const found = await Promise.all(pool.nodes.map(async (node) => look(node, pool)));
      return found.flatMap((finding, at) => (finding ? [{ ...finding, node: pool.nodes[at]!.session.name }] : []));
    },
  };
}

const PINGS = 20;
/** The share of the time of the command that PINGs may take. */
const PING_SHARE = 0.2;

/** Gathers what the checks look at. The PINGs come first, so that no other question of this command delays their answers. */
export async function checkedPoolOf(
  sessions: readonly NodeSession[],
  settings: Settings & DoctorOptions,
): Promise<CheckedPool> {
  const pings = await Promise.all(sessions.map((session) => session.attempt(() => pingTimes(session))));
  const overview = await overviewOf(sessions);
  const nodes = sessions.map(async (session, index): Promise<CheckedNode> => {
    const asked = session.ask((redis) => redis.info()).catch(() => '');
    const [info, keys] = await Promise.all([asked, readKeys(session)]);
    return { session, report: overview.nodes[index]!, info: fieldsOf(info), pings: pings[index] ?? [], keys };
  });
  return { settings, overview, nodes: (await Promise.all(nodes)).filter(({ session }) => session.isUp) };
}

async function pingTimes(session: NodeSession): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + session.left * PING_SHARE;
  do {
    const sent = performance.now();
    await session.ask((redis) => redis.ping());
    times.push(performance.now() - sent);
  } while (times.length < PINGS && performance.now() < end);
  return times.sort((a, b) => a - b);
}

/** More names of a kind are not kept, however many keys a node has. */
const KEPT = 1_000;

/** Keys that somebody should look at. */
interface KeysOnNode {
  /** Data of another type under the name of a lock: "key (type)". */
  readonly foreign: ReadonlySet<string>;
  /** Locks that never expire. */
  readonly endless: ReadonlySet<string>;
  /** Resources in whose queue no process is connected. */
  readonly deadQueues: ReadonlySet<string>;
  /** Why some keys are unknown; undefined if all were read. */
  readonly hidden: string | undefined;
}

/** Looks through all keys under the prefix. */
async function readKeys(session: NodeSession): Promise<KeysOnNode> {
  const { prefix: keyPrefix } = session.settings;
  const [foreign, endless, deadQueues] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const keep = (names: Set<string>, name: string): unknown => names.size < KEPT && names.add(name);
  const read = async (keys: readonly string[]): Promise<boolean> => {
    const resources = [...new Set(keys.flatMap((key) => resourceOf(keyPrefix, key) ?? []))];
    const locks = await locksOn(session, resources);
    const isDead = await withoutListeners(session, locks);
    for (const [at, { type, ttl }] of locks.entries()) {
      const key = keyPrefix + resources[at]!;
      if (type !== undefined) keep(foreign, `${key} (${type})`);
      else if (ttl === null) keep(endless, key);
      if (isDead[at]) keep(deadQueues, resources[at]!);
    }
    return true;
  };
  const hidden = await scan(session, [`${literal(keyPrefix)}*`], read).catch((error: Error) => error.message);
  return { foreign, endless, deadQueues, hidden };
}

/** Returns for each lock whether processes wait in its queue, and none of them is connected. */
async function withoutListeners(session: NodeSession, locks: readonly LockOnNode[]): Promise<boolean[]> {
  const channels = locks.flatMap(({ waiters }) => waiters.map(({ channel }) => channel));
  if (channels.length === 0) return [];
  const counts = await session.ask((redis) => redis.pubsub('NUMSUB', ...channels));
  const alive = new Set(counts.filter((_, at) => Number(counts[at + 1]) > 0));
  return locks.map(({ waiters }) => waiters.length > 0 && waiters.every(({ channel }) => !alive.has(channel)));
}
