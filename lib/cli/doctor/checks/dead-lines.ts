import type { NodeSession } from '../../nodes/node-session.js';
import { locksOn } from '../../locks/lock-on-node.js';
import { resourceOf } from '../../locks/key-names.js';
import { examples } from '../examples.js';
import { checkOfKeys } from '../check-of-keys.js';

/** A line lasts for a minute without a sign of its waiters, and the node passes over those that are gone. */
export const deadLines = checkOfKeys('lines without a living waiter', async ({ lines }, { session }) => {
  const { keyPrefix } = session.settings;
  const resources = lines.flatMap((key) => resourceOf(keyPrefix, key) ?? []);
  const dead = await withoutListeners(session, resources);
  if (dead.length === 0) return undefined;
  return {
    severity: 'advice',
    what: `nobody who stands in the line for ${examples(dead)} is connected`,
    why: 'processes that waited have crashed, or have lost their connection to this node',
    remedy:
      'nothing has to be done: the line ends within a minute, and a release passes over it; look at the processes if it comes back',
  };
});

async function withoutListeners(session: NodeSession, resources: readonly string[]): Promise<string[]> {
  const locks = await locksOn(session, resources);
  const dead: string[] = [];
  for (const [index, { waiters }] of locks.entries()) {
    const channels = [...new Set(waiters.map(({ channel }) => channel))];
    if (channels.length === 0) continue;
    const answer = await session.ask((redis) => redis.pubsub('NUMSUB', ...channels));
    const listening = answer.filter((_, at) => at % 2 === 1).map(Number);
    if (listening.every((count) => count === 0)) dead.push(resources[index]!);
  }
  return dead;
}
