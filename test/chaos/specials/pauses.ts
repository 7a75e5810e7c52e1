import { overlapsOf, type Overlap } from '../check/exclusion.js';
import { toHistory } from '../check/history.js';
import { majorityOf } from '../nemeses/nemesis.js';
import { eventually } from '../../support/eventually.js';
import type { ClientProcess } from '../stage/client-process.js';
import type { Stage } from '../stage/stage.js';

interface Terms {
  readonly resource: string;
  readonly ttl: number;
  readonly waitTimeout: number;
}

/**
 * A holder stands still beyond its lease, and another takes the lock. When the first one goes on it releases what is not
 * its own any more; then a third asks for the lock.
 */
export async function frozenHolder(stage: Stage): Promise<Overlap[]> {
  const { first, second, third, terms } = castOf(stage, 'frozen-holder');
  const holder = await first.turn({ id: 'holder', ...terms, hold: 10 * terms.ttl });
  first.freeze();
  const heir = await second.turn({ id: 'heir', ...terms, hold: 10 * terms.ttl });
  first.thaw();
  await holder.over;
  const last = await third.turn({ id: 'last', ...terms, hold: 0 });
  await Promise.all([heir.over, last.over]);
  return overlapsIn(stage);
}

/**
 * A process stands still while the answers to its question are on their way, and another one takes the lock meanwhile.
 */
export async function frozenAsker(stage: Stage): Promise<Overlap[]> {
  const { first, second, terms } = castOf(stage, 'frozen-asker');
  const [nodeIndex] = stage.clients;
  // Below the time that nodes have for an answer.
  for (const way of nodeIndex!.ways) way.replyDelay = stage.terms.nodeTimeout / 2;
  const asking = first.turn({ id: 'asker', ...terms, waitTimeout: 0, hold: terms.ttl });
  await eventually(() => granted(stage, terms.resource));
  first.freeze();
  const heir = await second.turn({ id: 'heir', ...terms, hold: 2 * terms.ttl });
  first.thaw();
  const asker = await asking;
  await Promise.all([asker.over, heir.over]);
  for (const way of nodeIndex!.ways) way.heal();
  return overlapsIn(stage);
}

function castOf(
  stage: Stage,
  resource: string,
): Record<'first' | 'second' | 'third', ClientProcess> & { terms: Terms } {
  const [first, second, third] = stage.clients.map((client) => client.process);
  if (!first || !second || !third) throw new Error('this needs three clients');
  const { ttl } = stage.terms;
  return { first, second, third, terms: { resource, ttl, waitTimeout: 20 * ttl } };
}

async function granted(stage: Stage, resource: string): Promise<void> {
  const values = await Promise.all(stage.nodes.map((node) => node.ask((redis) => redis.get(`chaos:${resource}`))));
  if (values.filter(Boolean).length < majorityOf(stage)) throw new Error('too few nodes have granted it');
}

async function overlapsIn(stage: Stage): Promise<Overlap[]> {
  return overlapsOf(toHistory(await stage.takeRecords()).holds);
}
