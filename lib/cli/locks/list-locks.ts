import type { NodeSession } from '../nodes/node-session.js';
import { FREE, type LockView, lockViews } from './lock-view.js';
import { performance } from 'node:perf_hooks';
import { RESERVED, reservedEndingOf, slotOf, slotsOf } from '../../engine/resources.js';

/** A node whose locks are unknown, and why. */
export interface MissedNode {
  readonly node: string;
  readonly reason: string;
}

export interface LockList {
  readonly locks: readonly LockView[];
  /** True if there are more than the limit. */
  readonly isCut: boolean;
  /** The nodes that may have more locks than those of the list. */
  readonly missed: readonly MissedNode[];
}

export interface ListOptions {
  readonly pattern: string;
  /** How many resources to list at most. */
  readonly limit: number;
}

/** Finds the resources that fit a pattern and are locked or waited for, in the order of their names. */
export async function listLocks(sessions: readonly NodeSession[], { pattern, limit }: ListOptions): Promise<LockList> {
  const found = new Set<string>();
  const take = (resource: string): boolean => found.add(resource).size <= limit;
  // A name without a wildcard needs no search.
  const isName = !/[\\*?[]/.test(pattern);
  const stops = isName
    ? []
    : await Promise.all(sessions.map((session) => session.attempt(() => findResources(session, pattern, take))));
  const names = isName ? withSlots(sessions[0]!.settings.prefix, pattern) : [...found].sort().slice(0, limit);
  const views = await lockViews(sessions, names);
  // What has ended between SCAN and now is no lock any more.
  const locks = views.filter((lock) => lock.kind !== FREE || lock.waiters.length > 0);
  return {
    locks: locks.slice(0, limit),
    isCut: Math.max(found.size, locks.length) > limit,
    missed: missedOf(sessions, stops),
  };
}

/** Returns the nodes that failed, and those whose search stopped early. */
export function missedOf(sessions: readonly NodeSession[], stops: readonly (string | undefined)[] = []): MissedNode[] {
  return sessions.flatMap(({ name, obstacle }, index) => {
    const reason = obstacle ?? stops[index];
    return reason === undefined ? [] : [{ node: name, reason }];
  });
}

/** Returns a resource, all slots that it may have, and the gate of callers that want all slots. */
function withSlots(keyPrefix: string, name: string): string[] {
  const resource = resourceOf(keyPrefix, keyPrefix + name);
  return resource === undefined ? [] : [resource, ...allSlotsOf(resource)].sort();
}

/** Calls `take` with each resource of a node that fits a pattern, until it returns false. Returns why it stopped early, if it did. */
function findResources(
  session: NodeSession,
  pattern: string,
  take: (resource: string) => boolean,
): Promise<string | undefined> {
  const { prefix: keyPrefix } = session.settings;
  return scan(session, patternsFor(keyPrefix, pattern), (keys) =>
    keys.every((key) => {
      const resource = resourceOf(keyPrefix, key);
      return resource === undefined || take(resource);
    }),
  );
}

const KEYS_PER_CALL = 1_000;
/** The share of the time that is left in which keys are searched; the rest is for what is found. */
const SEARCH_SHARE = 0.6;

/** Returns a pattern of SCAN that fits this text only. */
export function literal(text: string): string {
  return text.replaceAll(/[\\*?[\]^-]/g, '\\$&');
}

/** Returns the patterns of SCAN for the keys of resources that fit `pattern`, and of the queues for them. */
export function patternsFor(keyPrefix: string, pattern: string): string[] {
  const keys = `${literal(keyPrefix)}${pattern}`;
  // A queue may be there without its lock.
  return pattern.endsWith('*') ? [keys] : [keys, `${keys}${RESERVED.queue}`];
}

/** Returns the resource to which a key belongs; undefined for what a node has beside locks and their queues. */
export function resourceOf(keyPrefix: string, key: string): string | undefined {
  const name = key.slice(keyPrefix.length);
  const ending = reservedEndingOf(name);
  if (ending === undefined) return name === '' ? undefined : name;
  return ending === RESERVED.queue && name !== ending ? name.slice(0, -ending.length) : undefined;
}

/**
 * Calls `found` with the keys that fit these patterns, some at a time and some of them perhaps twice, until it returns false. By SCAN, which
 * never keeps a node busy for long. Returns why it stopped early, if there was too little time for all keys.
 * @throws Error if the node refuses, or does not answer
 */
export async function scan(
  session: NodeSession,
  patterns: readonly string[],
  found: (keys: readonly string[]) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  const limit = session.left * SEARCH_SHARE;
  const end = performance.now() + limit;
  for (const pattern of patterns) {
    let cursor = '0';
    do {
      if (performance.now() > end)
        return `not all of its keys were read within ${Math.round(limit)} ms: give a greater --timeout`;
      const [next, keys] = await session.ask((redis) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL));
      cursor = next;
      if (keys.length > 0 && !(await found(keys))) return undefined;
    } while (cursor !== '0');
  }
  return undefined;
}

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
