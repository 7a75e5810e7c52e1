import { checkOfNode, type Check } from './check.js';

interface Hole {
  readonly name: string;
  /** The first version that has it; undefined if all have it. */
  readonly since?: string;
  /** The versions of each product that close it, by their release notes, the newest line first. An older line that is missing here is open. */
  readonly closed: Readonly<Record<Product, string>>;
}

type Product = 'Redis' | 'Valkey';

/** Holes that a script can use to break out of Lua. */
const HOLES: readonly Hole[] = [
  {
    name: 'CVE-2025-49844',
    closed: { Redis: '8.2.2 8.0.4 7.4.6 7.2.11 6.2.20', Valkey: '8.1.4 8.0.6 7.2.11' },
  },
  {
    name: 'CVE-2026-23631',
    // Its maintainers say that 6.2 is safe.
    since: '7.0.0',
    closed: { Redis: '8.6.3 8.4.3 8.2.6 7.4.9 7.2.14', Valkey: '9.0.4 8.1.7 8.0.8 7.2.13' },
  },
];

/** Locks need Lua, so a node with a hole in its Lua has to be updated; to switch Lua off is no way out. */
const version = checkOfNode('version', ({ info }) => {
  const valkey = info.get('valkey_version');
  const product: Product = valkey === undefined ? 'Redis' : 'Valkey';
  const text = valkey ?? info.get('redis_version') ?? '';
  const open = HOLES.filter((hole) => isOpen(text, hole.closed[product], hole.since ?? '0'));
  if (open.length === 0) return undefined;
  const closed = open.map((hole) => `${hole.name} is closed in ${hole.closed[product].replaceAll(' ', ', ')}`);
  return {
    severity: 'advice',
    what: `${product} ${text} may have known holes in its Lua: ${open.map(({ name }) => name).join(', ')}`,
    why: 'a client that may run scripts on it may be able to run programs on its machine',
    remedy: `update it, unless your distribution has closed them without a new version number; ${closed.join('; ')}`,
  };
});

/** Returns whether a hole that is closed in these versions is open in this one. */
function isOpen(text: string, closed: string, since: string): boolean {
  if (!/^\d+\.\d+\.\d+/.test(text) || isOlder(text, since)) return false;
  const versions = closed.split(' ');
  const line = versions.find((one) => one.split('.', 2).join() === text.split('.', 2).join());
  return isOlder(text, line ?? versions[0]!);
}

function isOlder(one: string, than: string): boolean {
  return one.localeCompare(than, 'en', { numeric: true }) < 0;
}

export const VERSION_CHECKS: readonly Check[] = [version];
