import { checkOfNode } from '../finding.js';

type Version = readonly [major: number, minor: number, patch: number];

interface Hole {
  readonly name: string;
  /** In which versions it is closed: the newest line first. An older line that is not named is open. */
  readonly redis: readonly Version[];
}

/** Holes that a script can use to break out of Lua. */
const HOLES: readonly Hole[] = [
  {
    name: 'CVE-2025-49844',
    redis: [
      [8, 2, 2],
      [8, 0, 4],
      [7, 4, 6],
      [7, 2, 11],
      [6, 2, 20],
    ],
  },
  { name: 'CVE-2026-23631', redis: [[8, 6, 3]] },
];

/** Locks need Lua, so a node with a hole in its Lua has to be updated; to switch Lua off is no way out. */
export const version = checkOfNode('version', ({ info }) => {
  const [text = '', isRedis] = [info.get('redis_version'), !info.has('valkey_version')];
  const open = isRedis ? HOLES.filter(({ redis }) => isOpen(text, redis)) : [];
  if (open.length === 0) return undefined;
  const closed = open.map(({ name, redis }) => `${name} is closed in ${redis.map((one) => one.join('.')).join(', ')}`);
  return {
    severity: 'advice',
    what: `Redis ${text} may have known holes in its Lua: ${open.map(({ name }) => name).join(', ')}`,
    why: 'a client that may run scripts on it may be able to run programs on its machine',
    remedy: `update it, unless your distribution has closed them without a new version number; ${closed.join('; ')}`,
  };
});

/** Returns whether a hole that is closed in these versions is open in this one. */
export function isOpen(text: string, closed: readonly Version[]): boolean {
  const [major, minor, patch] = text.split('.').map(Number);
  if (major === undefined || minor === undefined || patch === undefined || [major, minor, patch].some(Number.isNaN))
    return false;
  const own = closed.find((one) => one[0] === major && one[1] === minor);
  if (own) return patch < own[2];
  const [newest] = closed;
  return newest !== undefined && (major < newest[0] || (major === newest[0] && minor < newest[1]));
}
