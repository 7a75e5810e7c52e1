import { LockKeyError } from './errors.js';
import { familyAtEnd } from '../port/key-families.js';
import { shown } from './names.js';

const MOST_BYTES = 512;
/** How many one lock takes at once where nobody says otherwise: more make a batch that keeps a node from others. */
export const MAX_RESOURCES = 64;
/** What that may be set to at most. */
export const MOST_RESOURCES = 128;

/** The names to lock as a list; throws `LockKeyError` where there is none, or more than `most`, one is unusable, or one stands twice. */
export function toResources(resource: string | readonly string[], most = MOST_RESOURCES): readonly string[] {
  const given: unknown = typeof resource === 'string' ? [resource] : resource;
  if (!Array.isArray(given) || given.length === 0) {
    throw new LockKeyError(`A resource is a string, or an array of at least one; got ${describe(resource)}`);
  }
  if (given.length > most) {
    throw new LockKeyError(
      `A lock takes at most ${most} resources at once; got ${given.length}. Lock one name that stands for all of them, take them ` +
        `in several locks, or set maxResources of the module, at most ${MOST_RESOURCES}`,
    );
  }
  // A list of its own, and without holes, which forEach would pass over.
  const resources = Array.from<string>(given);
  resources.forEach(check);
  return resources;
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
  const family = familyAtEnd(resource);
  if (family !== undefined) {
    throw new LockKeyError(
      `"${resource}" is the name of what stands beside a lock: it ends in "${family}", and under some prefix that is a key of this or ` +
        'of another pool; choose another one',
      [resource],
    );
  }
  if (index > 0 && all.indexOf(resource) !== index) {
    throw new LockKeyError(`Each resource stands once in a lock; ${shown([resource])} stands there twice`, [resource]);
  }
}

function describe(resource: unknown): string {
  if (resource === '') return 'an empty string';
  if (Array.isArray(resource)) return 'an empty array';
  return resource === null ? 'null' : typeof resource;
}
