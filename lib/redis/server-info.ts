import type { NodeRoom } from '../engine/lock-node.js';
import type { Redis } from 'ioredis';
import { RESERVED } from '../engine/resources.js';
import type { BatchOptions } from './codec.js';
import { NonsenseError } from './connection/wire/node-text.js';

/** Returns whether anybody has ever had a lock on a node; false if our user may not ask that. */
export async function hasFences(redis: Pick<Redis, 'exists'>, keyPrefix: string): Promise<boolean> {
  const fences = await redis.exists(`${keyPrefix}${RESERVED.fences}`).catch(() => 0);
  return fences > 0;
}

/** Returns what a node says about itself by INFO. If our user may not run the whole INFO, returns only the section `server`. */
export async function infoOf(redis: Pick<Redis, 'info'>): Promise<string> {
  const info: unknown = await redis.info().catch((error: Error) => {
    if (!error.message.startsWith('NOPERM')) throw error;
    return redis.info('server');
  });
  if (typeof info !== 'string') throw new NonsenseError('its answer to INFO cannot be read');
  return info;
}

/** Returns how much room a node has for records, and whether they survive a restart. */
export async function roomOf(redis: Pick<Redis, 'info'>): Promise<NodeRoom> {
  const info = await redis.info();
  const numberOf = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const limit = numberOf('maxmemory');
  return { used: limit > 0 ? numberOf('used_memory') / limit : 0, isOnDisk: numberOf('aof_enabled') === 1 };
}

/** Returns the marker that clients with `restartQuarantine` leave on a node; undefined if it cannot be read. */
export async function markerOn(redis: Pick<Redis, 'get'>, key: string): Promise<string | null | undefined> {
  try {
    const marker: unknown = await redis.get(key);
    return typeof marker === 'string' || marker === null ? marker : undefined;
  } catch (error) {
    const { name, message } = error as Error;
    // A node that is busy is asked again, and a connection that broke is no answer.
    if (name !== 'ReplyError' || /^(BUSY|LOADING) /.test(message)) throw error;
    return undefined;
  }
}

/** How to end a warning about clients that no longer exist: the marker outlives the clients that wrote it. */
const ENDED_BY =
  'if no such client is left, redis-cli DEL <keyPrefix>~node (lock:~node by default) on each node ends this';

/** What is wrong with a node, why that matters, and what to do. */
export interface Trouble {
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
}

/** What a node says about itself. */
export interface Examination {
  readonly server: {
    /** Which run of a server it is; undefined if it does not say. */
    readonly run: string | undefined;
    /** Whether it has a marker of its own: then it has voted before, perhaps under another address. */
    readonly hasVoted: boolean;
  };
  /** Whether a new run knows no scripts; before Redis 7 it could get them from a file or from its master. */
  readonly forgetsScripts: boolean;
  /** What endangers locks on it, in words that say what could go wrong. */
  readonly warnings: readonly string[];
}

/** What was found on a node. */
interface Findings {
  /** The reply to INFO. */
  readonly info: string;
  /** The marker that clients with `restartQuarantine` leave on the node; undefined if it cannot be read. */
  readonly marker: string | null | undefined;
  /** Whether anybody has ever had a lock on the node. */
  readonly isUsed: boolean;
}

/** Returns the fields of a reply to INFO. */
export function fieldsOf(info: string): ReadonlyMap<string, string> {
  return new Map(info.split(/\r?\n/).map((line) => line.split(/:(.*)/) as [string, string]));
}

/** Returns which run of a server it is. The text becomes a part of each command, and Redis has 40 characters. */
function runIn(fields: ReadonlyMap<string, string>): string | undefined {
  const run = fields.get('run_id');
  return run !== undefined && /^[!-~]{1,128}$/.test(run) ? run : undefined;
}

/** Returns what of the configuration of a node endangers locks. */
export function troublesIn(
  fields: ReadonlyMap<string, string>,
): Readonly<Record<'replica' | 'cluster' | 'eviction', Trouble | undefined>> {
  const policy = fields.get('maxmemory_policy');
  const evicts = Number(fields.get('maxmemory') ?? 0) > 0 && policy !== 'noeviction';
  return {
    replica: fields.get('role') === 'slave' ? REPLICA : undefined,
    cluster: fields.get('cluster_enabled') === '1' ? CLUSTER : undefined,
    eviction: evicts
      ? {
          what: `it evicts keys when its memory is full (maxmemory-policy ${policy})`,
          why: 'locks could vanish while they are held',
          remedy: 'set noeviction',
        }
      : undefined,
  };
}

const REPLICA: Trouble = {
  what: 'it is a replica',
  why: 'it refuses locks, and a promotion loses those that had not arrived',
  remedy: 'name independent masters',
};

const CLUSTER: Trouble = {
  what: 'it runs in cluster mode',
  why: 'locks whose keys are in several slots fail, and a failover loses locks',
  remedy: 'name independent masters',
};

/** Reads what a node says about itself. */
export function readExamination(
  { info, marker, isUsed }: Findings,
  { maxTtl, restartQuarantine }: Pick<BatchOptions, 'maxTtl' | 'restartQuarantine'>,
): Examination {
  const fields = fieldsOf(info);
  const is = (name: string, value: string): boolean => fields.get(name) === value;
  const [run, , longest = maxTtl] = marker?.split('|') ?? [];
  const theirs = Number(longest);
  const isOfThisRun = run !== undefined && is('run_id', run);
  const warnings = [
    ...Object.values(troublesIn(fields)).map(
      (trouble) => trouble && `${trouble.what}: ${trouble.why}; ${trouble.remedy}`,
    ),
    theirs !== maxTtl &&
      `other clients use a maxTtl of ${theirs} ms, and this client uses ${maxTtl}: the greater one counts after a restart; ` +
        `set the same everywhere; ${ENDED_BY}, one by one, since each node is then in quarantine for maxTtl`,
    !restartQuarantine &&
      isOfThisRun &&
      'other clients have restartQuarantine on, and this client has it off: it takes votes of nodes that may have forgotten locks; ' +
        `set the same everywhere; ${ENDED_BY}`,
    restartQuarantine &&
      run === undefined &&
      isUsed &&
      'it had locks, but no quarantine marker: clients with restartQuarantine: false use or used it, or its marker was deleted. ' +
        'Set restartQuarantine alike in all clients. This client wrote the marker, so the warning is not repeated',
  ];
  return {
    // A marker that cannot be read may be one of this run.
    server: { run: runIn(fields), hasVoted: marker === undefined || isOfThisRun },
    forgetsScripts: Number.parseInt(fields.get('redis_version') ?? '', 10) >= 7,
    warnings: warnings.filter((warning) => typeof warning === 'string'),
  };
}
