/** What a node tells of itself. */
export interface Examination {
  readonly runId: string | undefined;
  /** Whether a new run knows no scripts; before Redis 7 files and masters could bring them along. */
  readonly forgetsScripts: boolean;
  /** What endangers locks on it, in words that say what could go wrong. */
  readonly warnings: readonly string[];
}

/** Reads the reply to INFO, and the marker that clients leave on the node. */
export function examine(info: string, marker: string | null, maxTtl: number): Examination {
  const fields = new Map(info.split(/\r?\n/).map((line) => line.split(/:(.*)/) as [string, string]));
  const is = (name: string, value: string): boolean => fields.get(name) === value;
  const evicts = Number(fields.get('maxmemory') ?? 0) > 0 && !is('maxmemory_policy', 'noeviction');
  const theirs = Number(marker?.split('|')[2] ?? maxTtl);
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
        'set the same everywhere',
  ];
  return {
    runId: fields.get('run_id'),
    forgetsScripts: Number.parseInt(fields.get('redis_version') ?? '', 10) >= 7,
    warnings: warnings.filter((warning) => warning !== false),
  };
}
