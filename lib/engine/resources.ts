import { LockKeyError } from './errors.js';
import { shown } from './names.js';
import { mistake } from './codes.js';

const MOST_BYTES = 512;
/** How many resources one lock takes at most by default: a larger batch would keep a node from other callers for too long. */
export const MAX_RESOURCES = 64;
/** The greatest number that `maxResources` may be set to. */
export const MOST_RESOURCES = 128;

/** Returns the names to lock as a list; throws a `LockKeyError` if there is no name, or if one is unusable or stands twice, and a `RangeError` for more than `most`. */
export function toResources(resource: string | readonly string[], most = MOST_RESOURCES): readonly string[] {
  const given: unknown = typeof resource === 'string' ? [resource] : resource;
  if (!Array.isArray(given) || given.length === 0) {
    throw new LockKeyError(`A resource is a string, or an array of at least one; got ${describe(resource)}`);
  }
  refuseTooMany(given, most);
  // A copy without holes, because `forEach` skips holes.
  const resources = Array.from<string>(given);
  resources.forEach(check);
  // Listeners and callers see this list, which the engine goes by.
  return Object.freeze(resources);
}

/** @throws RangeError for more resources than one lock may take: that is a limit of the server, and no mistake of a client */
export function refuseTooMany({ length }: readonly unknown[], most: number): void {
  if (length <= most) return;
  throw mistake(
    'REDLOCK_E10',
    `A lock takes at most ${most} resources at once; got ${length}. Lock one name that stands for all of them, take them ` +
      `in several locks, or set maxResources of the module, at most ${MOST_RESOURCES}`,
    { Kind: RangeError },
  );
}

function check(resource: unknown, index: number, all: readonly unknown[]): void {
  if (typeof resource !== 'string' || resource === '') {
    throw new LockKeyError(`A resource is a string of 1 to ${MOST_BYTES} bytes; got ${describe(resource)}`);
  }
  if (resource.length * 3 > MOST_BYTES && Buffer.byteLength(resource) > MOST_BYTES) {
    throw new LockKeyError(
      `A resource has at most ${MOST_BYTES} bytes; ${shown([resource])} has ${Buffer.byteLength(resource)} (hash it)`,
    );
  }
  if (!resource.isWellFormed()) {
    throw new LockKeyError(
      `${shown([resource])} is not well-formed Unicode: it has half of a surrogate pair, which all become one character on ` +
        'the nodes, so that different resources would be one (hash it, or encode it)',
    );
  }
  const ending = reservedEndingOf(resource);
  if (ending !== undefined) {
    throw new LockKeyError(
      `${shown([resource])} ends in "${ending}", which is reserved for keys beside locks; choose another name`,
      [resource],
    );
  }
  if (index > 0 && all.indexOf(resource) !== index) {
    throw new LockKeyError(`Duplicate resource ${shown([resource])}`, [resource]);
  }
}

function describe(resource: unknown): string {
  if (resource === '') return 'an empty string';
  if (Array.isArray(resource)) return 'an empty array';
  return resource === null ? 'null' : typeof resource;
}

/** What the names of the locks of leaders begin with. */
export const LEADER = 'leader:';

/** Returns the names of the slots of a resource that so many callers may hold at once: `export~0`, `export~1` ... */
export function slotsOf(resource: string, limit: number): string[] {
  return Array.from({ length: limit }, (_, slot) => `${resource}~${slot}`);
}

/** Returns the number of a slot. */
export function slotOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('~') + 1));
}

/**
 * The endings of the keys that a node has beside the locks: the queue of a lock and the deposits of those who wait in it, the fence counters, the
 * mark that somebody waits on this node, the marker by which clients notice a restart, and the record of what was done under a lock.
 */
export const RESERVED = {
  queue: '~queue',
  places: '~places',
  fences: '~fence',
  waiting: '~waiting',
  node: '~node',
  reply: '~reply',
} as const;

const ENDINGS: readonly string[] = Object.values(RESERVED);

/**
 * Returns the reserved ending of a resource, whatever comes before it. For example, under the prefix `app` the resource `:~fence` would have the
 * same key as the fence counters of a pool whose prefix is `app:`.
 */
export function reservedEndingOf(resource: string): string | undefined {
  return ENDINGS.find((ending) => resource.endsWith(ending));
}

/** Returns the reserved ending that begins at the end of a prefix, so that some resource would complete it: prefix `app~`, resource `fence`. */
export function reservedEndingBegunBy(prefix: string): string | undefined {
  const isBegun = (ending: string): boolean => {
    for (let length = 1; length < ending.length; length += 1) if (prefix.endsWith(ending.slice(0, length))) return true;
    return false;
  };
  return ENDINGS.find(isBegun);
}
