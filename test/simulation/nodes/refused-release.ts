import type { Lock } from '../../../lib/core/api/lock.js';
import type { SimulatedClient } from '../simulated-client.js';
import { MAX_TTL } from '../scenario.js';
import type { SimulatedNode, Trouble } from './simulated-node.js';
import { Violation } from '../judge/violation.js';
import type { World } from '../world/world.js';

/** Ms for which nodes refuse a release, and within which it is done once they do not: long before the lease would end. */
const REFUSED_FOR = 150;
const GIVEN_BACK_WITHIN = 350;

/** Takes the lock for that, on several resources where there are many, unless its client could have them by luck only. */
export function takeForRelease({ redlock, needsLuck, context }: SimulatedClient): Promise<Lock> {
  const { resources } = context.scenario;
  const isForSeveral = resources.length > 2 && !needsLuck;
  return redlock.acquire(isForSeveral ? resources : resources[0]!, { ttl: MAX_TTL });
}

/**
 * Releases a lock while every node answers with errors, and looks whether it is given back as soon as they do not. Resolves with what
 * settles as the release does.
 * @throws Violation
 */
export async function releaseRefused(
  lock: Lock,
  { world, nodes }: { readonly world: World; readonly nodes: readonly SimulatedNode[] },
): Promise<() => Promise<void>> {
  const trouble = world.dice.pick<Trouble>(['BUSY', 'MISCONF']);
  for (const node of nodes) node.trouble = trouble;
  const released = lock.release();
  await world.runUntil(world.now + REFUSED_FOR);
  for (const node of nodes) node.trouble = undefined;
  await world.runUntil(world.now + GIVEN_BACK_WITHIN);
  for (const resource of lock.resources) {
    const keeper = nodes.find(({ memory }) => memory.get(resource) === lock.value);
    if (keeper)
      throw new Violation('no lock left', `${keeper.name} keeps ${resource}, the release of which it refused`);
  }
  return () => released;
}
