import { readFileSync } from 'node:fs';
import type { RedisPool } from './redis-pool.js';

/** The page that lists the permissions, and says what is missing without each of them. */
const PAGE = readFileSync('docs/operate/redis.md', 'utf8');

/** The words of the user that the documentation proposes. */
export function rightsInDocs(): string[] {
  const words = /ACL SETUSER locks (.*?)```/s.exec(PAGE)?.[1];
  if (words === undefined) throw new Error('docs/operate/redis.md proposes no user');
  return words.trim().split(/\s+/);
}

/** What the documentation says of a user without a right, by the right: the words in bold of its row. */
export function missingInDocs(): ReadonlyMap<string, string> {
  const [, table] = PAGE.split('\n| without');
  const rows = table!.split('\n\n')[0]!.split('\n').slice(2);
  return new Map(
    rows.flatMap((row) => {
      // A pipe within a cell is escaped.
      const [, rights, says] = row.split(/(?<!\\)\|/);
      const kind = /\*\*(.*?)\*\*/.exec(says!)![1]!;
      return [...rights!.matchAll(/`([^`]+)`/g)].map(([, right]) => [right!.replace('\\|', '|'), kind] as const);
    }),
  );
}

/** Gives the user these rights and no others on all nodes of the pool; returns the addresses with which the user logs in. */
export async function grantRights(pool: RedisPool, rights: readonly string[]): Promise<string[]> {
  for (const server of pool.servers.keys()) {
    await pool.ask(server, async (redis) => {
      await redis.call('ACL', 'SETUSER', 'locks', 'reset', ...rights);
      await redis.call('ACL', 'LOG', 'RESET');
    });
  }
  return pool.urls.map((url) => url.replace('redis://', 'redis://locks:secret@'));
}
