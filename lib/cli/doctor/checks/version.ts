import { checkOfNode } from '../finding.js';

type Version = readonly [major: number, minor: number, patch: number];

interface Hole {
  readonly name: string;
  /** The first version that has it; where there is none, all have it. */
  readonly since?: Version;
  /** In which versions of each product it is closed, by their release notes: the newest line first. An older line that is not named is open. */
  readonly closed: Readonly<Record<Product, readonly Version[]>>;
}

type Product = 'Redis' | 'Valkey';

/** Holes that a script can use to break out of Lua. */
const HOLES: readonly Hole[] = [
  {
    name: 'CVE-2025-49844',
    closed: {
      Redis: [
        [8, 2, 2],
        [8, 0, 4],
        [7, 4, 6],
        [7, 2, 11],
        [6, 2, 20],
      ],
      Valkey: [
        [8, 1, 4],
        [8, 0, 6],
        [7, 2, 11],
      ],
    },
  },
  {
    name: 'CVE-2026-23631',
    // Its maintainers say that 6.2 does not have it.
    since: [7, 0, 0],
    closed: {
      Redis: [
        [8, 6, 3],
        [8, 4, 3],
        [8, 2, 6],
        [7, 4, 9],
        [7, 2, 14],
      ],
      Valkey: [
        [9, 0, 4],
        [8, 1, 7],
        [8, 0, 8],
        [7, 2, 13],
      ],
    },
  },
];

/** Locks need Lua, so a node with a hole in its Lua has to be updated; to switch Lua off is no way out. */
export const version = checkOfNode('version', ({ info }) => {
  const valkey = info.get('valkey_version');
  const product: Product = valkey === undefined ? 'Redis' : 'Valkey';
  const text = valkey ?? info.get('redis_version') ?? '';
  const open = HOLES.filter((hole) => isOpen(text, hole.closed[product], hole.since));
  if (open.length === 0) return undefined;
  const closed = open.map(
    (hole) => `${hole.name} is closed in ${hole.closed[product].map((one) => one.join('.')).join(', ')}`,
  );
  return {
    severity: 'advice',
    what: `${product} ${text} may have known holes in its Lua: ${open.map(({ name }) => name).join(', ')}`,
    why: 'a client that may run scripts on it may be able to run programs on its machine',
    remedy: `update it, unless your distribution has closed them without a new version number; ${closed.join('; ')}`,
  };
});

/** Returns whether a hole that is closed in these versions is open in this one. */
function isOpen(text: string, closed: readonly Version[], since?: Version): boolean {
  const [major, minor, patch] = text.split('.').map(Number);
  if (major === undefined || minor === undefined || patch === undefined || [major, minor, patch].some(Number.isNaN))
    return false;
  const isOlderLine = (than: Version): boolean => major < than[0] || (major === than[0] && minor < than[1]);
  if (since !== undefined && isOlderLine(since)) return false;
  const own = closed.find((one) => one[0] === major && one[1] === minor);
  if (own) return patch < own[2];
  const [newest] = closed;
  return newest !== undefined && isOlderLine(newest);
}
