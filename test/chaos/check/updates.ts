import type { Hold } from '../record.js';
import type { LostUpdate } from '../stage/store.js';

/**
 * Lost updates that no late writer explains: where one of the two wrote after its validity, it wrote at its own risk, and
 * what guards against that is the fencing token.
 */
export function unexplained(updates: readonly LostUpdate[], holds: readonly Hold[]): LostUpdate[] {
  const held = new Map(holds.map((hold) => [`${hold.id} ${hold.resource}`, hold]));
  const isInTime = (id: string, { resource, at }: LostUpdate): boolean => {
    const hold = held.get(`${id} ${resource}`);
    return hold !== undefined && at <= hold.to;
  };
  return updates.filter((update) => isInTime(update.writer, update) && isInTime(update.other, update));
}
