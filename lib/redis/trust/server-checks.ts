import type { Redis } from 'ioredis';
import { FAMILIES } from '../../core/port/key-families.js';
import type { TrustTerms } from '../batch/batch-encoder.js';

/** Returns whether anybody has ever had a lock on a node; false where our user may not ask that. */
export async function hasFences(redis: Pick<Redis, 'exists'>, keyPrefix: string): Promise<boolean> {
  const fences = await redis.exists(`${keyPrefix}${FAMILIES.fences}`).catch(() => 0);
  return fences > 0;
}

/** How to end a warning about clients that no longer exist: the marker outlives the clients that wrote it. */
const ENDED_BY =
  'where no such client is left, redis-cli DEL <keyPrefix>~node (lock:~node by default) on each node ends this';

/** What a node says about itself. */
export interface Examination {
  readonly runId: string | undefined;
  /** Whether a new run knows no scripts; before Redis 7 it could get them from a file or from its master. */
  readonly forgetsScripts: boolean;
  /** What endangers locks on it, in words that say what could go wrong. */
  readonly warnings: readonly string[];
}

/** What was found on a node. */
interface Findings {
  /** The reply to INFO. */
  readonly info: string;
  /** The marker that clients with `restartQuarantine` leave on the node. */
  readonly marker: string | null;
  /** Whether anybody has ever had a lock on the node. */
  readonly isUsed: boolean;
}

/** Reads what a node says about itself. */
export function examine({ info, marker, isUsed }: Findings, { maxTtl, restartQuarantine }: TrustTerms): Examination {
  const fields = new Map(info.split(/\r?\n/).map((line) => line.split(/:(.*)/) as [string, string]));
  const is = (name: string, value: string): boolean => fields.get(name) === value;
  const evicts = Number(fields.get('maxmemory') ?? 0) > 0 && !is('maxmemory_policy', 'noeviction');
  const [run, , longest = maxTtl] = marker?.split('|') ?? [];
  const theirs = Number(longest);
  const warnings = [
    is('role', 'slave') &&
      'it is a replica: it refuses locks, and a promotion loses those that had not arrived; name independent masters',
    is('cluster_enabled', '1') &&
      'it runs in cluster mode: locks whose keys are in several slots fail, and a failover loses locks; ' +
        'name independent masters',
    evicts &&
      `it evicts keys when its memory is full (maxmemory-policy ${fields.get('maxmemory_policy')}): locks could vanish ` +
        'while they are held; set noeviction',
    theirs !== maxTtl &&
      `other clients use a maxTtl of ${theirs} ms where this one has ${maxTtl}: the greater one counts after a restart; ` +
        `set the same everywhere; ${ENDED_BY}, one by one, since each is out of the vote for maxTtl then`,
    !restartQuarantine &&
      run !== undefined &&
      is('run_id', run) &&
      'other clients have restartQuarantine on, and this one has not: it takes votes of nodes that may have forgotten their locks; ' +
        `set the same everywhere; ${ENDED_BY}`,
    restartQuarantine &&
      run === undefined &&
      isUsed &&
      'other clients take locks on it with restartQuarantine: false, or did so, or its marker was deleted: they take votes that ' +
        'this one does not accept; set the same everywhere. This one has left its marker now, so the next start says it no more',
  ];
  return {
    runId: fields.get('run_id'),
    forgetsScripts: Number.parseInt(fields.get('redis_version') ?? '', 10) >= 7,
    warnings: warnings.filter((warning) => warning !== false),
  };
}
