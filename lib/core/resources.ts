import { LockKeyError } from './errors.js';

const MOST_BYTES = 512;
/** Names of what stands beside the locks on a node: the line of each, the fence counters, and what a node notes of itself. */
const TAKEN = /~waiters$|^~fence$|^~waiting$|^~node$/;

/** The names to lock as a list; throws `LockKeyError` where there is none, one is unusable, or one stands twice. */
export function toResources(resource: string | readonly string[]): readonly string[] {
  const given: unknown = typeof resource === 'string' ? [resource] : resource;
  if (!Array.isArray(given) || given.length === 0) {
    throw new LockKeyError(`A resource is a string, or an array of at least one; got ${describe(resource)}`);
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
      `A resource has at most ${MOST_BYTES} bytes; "${resource.slice(0, 40)}..." has ${Buffer.byteLength(resource)} (hash it)`,
    );
  }
  if (TAKEN.test(resource)) {
    throw new LockKeyError(`"${resource}" is the name of what stands beside a lock; choose another one`, [resource]);
  }
  if (index > 0 && all.indexOf(resource) !== index) {
    throw new LockKeyError(`Each resource stands once in a lock; "${resource}" stands there twice`, [resource]);
  }
}

function describe(resource: unknown): string {
  if (resource === '') return 'an empty string';
  if (Array.isArray(resource)) return 'an empty array';
  return resource === null ? 'null' : typeof resource;
}
