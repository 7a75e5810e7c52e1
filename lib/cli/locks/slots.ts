import { slotOf, slotsOf } from '../../engine/resources.js';
import type { LockView } from './lock-view.js';

/** As many as a limit may allow. */
const MOST_SLOTS = 64;
/** A slot, or the gate of callers that want all slots. */
const SLOT = /~(\d{1,2}|all)$/;

/** Returns the names of all slots that a resource may have, and of the gate. Nodes do not know how many there are. */
export function allSlotsOf(resource: string): string[] {
  return [...slotsOf(resource, MOST_SLOTS), `${resource}~all`];
}

/** Some slots of one resource, or another lock by itself. */
export interface LockGroup {
  readonly name: string;
  /** The slots by their numbers. */
  readonly locks: readonly LockView[];
}

/** Gathers the slots of each resource, in the order of the first one. */
export function groupsOf(locks: readonly LockView[]): LockGroup[] {
  const groups = new Map<string, { readonly name: string; readonly locks: LockView[] }>();
  for (const lock of locks) {
    const name = lock.resource.replace(SLOT, '');
    // A lock without a limit is by itself, also if its name is that of a resource with slots.
    const key = `${name === lock.resource ? 'lock' : 'slots'}:${name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { name, locks: [lock] });
    else group.locks.push(lock);
  }
  for (const group of groups.values()) group.locks.sort((one, other) => numberOf(one) - numberOf(other));
  return [...groups.values()];
}

/** Returns in words which slots are held; undefined for none, and for a single one, whose row says the same. */
export function heldSlotsIn({ locks }: LockGroup): string | undefined {
  const held = locks.filter(({ held: isHeld, value }) => isHeld !== false && value !== undefined).map(numberOf);
  const slots = held.filter((slot) => slot < MOST_SLOTS);
  if (locks.length === 1 || slots.length === 0) return undefined;
  return `${slots.length} ${slots.length === 1 ? 'slot' : 'slots'} held (${slots.join(', ')})`;
}

/** The gate comes last. */
function numberOf({ resource }: LockView): number {
  const slot = slotOf(resource);
  return Number.isNaN(slot) ? Infinity : slot;
}
