import { inspect } from 'node:util';
import { shown } from './names.js';
import { briefly } from './stack-trace.js';

export type RedlockErrorCode =
  'RESOURCE_LOCKED' | 'QUORUM_NOT_REACHED' | 'LOCK_LOST' | 'LOCK_KEY' | 'CLOSED' | 'NO_SERVICE';

/** What one node said, or why it said nothing. */
export interface NodeOutcome {
  readonly node: string;
  readonly outcome:
    | 'granted'
    | 'held'
    | 'quarantined'
    | 'extended'
    | 'missing'
    | 'taken'
    /** It answered that it does not do it. */
    | 'refused'
    /** There was no answer in time. */
    | 'unknown'
    /** All was decided before it had answered. */
    | 'pending';
  /** Why it refused or the outcome is unknown, or how long the node holds the resource for somebody else or does not vote. */
  readonly detail?: string;
}

/**
 * Base of all lock errors; tell them apart by `code`, which also works across two copies of this package. Messages name resources up to
 * the first separator only, since they end in logs.
 */
export class RedlockError extends Error {
  readonly #resources: readonly string[];

  constructor(
    readonly code: RedlockErrorCode,
    resources: readonly string[],
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
    this.#resources = resources;
  }

  /** By their whole names; loggers that write down all that is enumerable leave them out. */
  get resources(): readonly string[] {
    return this.#resources;
  }

  /** @internal Short, since logs print errors so: the message says all that there is to know. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** Somebody else holds the resource and kept it for as long as the caller was willing to wait. */
export class ResourceLockedError extends RedlockError {
  constructor(
    resources: readonly string[],
    /** Ms until a quorum of nodes would be free if the holder did nothing more; Infinity where a key never expires. */
    readonly retryAfter: number,
    readonly nodes: readonly NodeOutcome[],
  ) {
    super('RESOURCE_LOCKED', resources, `${shown(resources)} is locked by another holder`);
  }
}

/** Too few nodes answered usably, or not fast enough, to decide anything. */
export class QuorumNotReachedError extends RedlockError {
  /** Ms until a quorum votes again, where nodes are only kept out of the vote after a restart; else undefined. */
  readonly retryAfter: number | undefined;

  constructor(
    resources: readonly string[],
    readonly nodes: readonly NodeOutcome[],
    cause: string | { readonly why: string; readonly retryAfter: number },
  ) {
    const { why, retryAfter } = typeof cause === 'string' ? { why: cause, retryAfter: undefined } : cause;
    super('QUORUM_NOT_REACHED', resources, `No quorum for ${shown(resources)}: ${why}${listed(nodes)}`);
    this.retryAfter = retryAfter;
  }
}

/** The lock could no longer be proven ours, so somebody else may have it. */
export class LockLostError extends RedlockError {
  constructor(
    resources: readonly string[],
    /** Why it was lost. */
    readonly reason: string,
  ) {
    super('LOCK_LOST', resources, `The lock on ${shown(resources)} was lost: ${reason}`);
  }
}

/** No usable resource name could be made. */
export class LockKeyError extends RedlockError {
  constructor(message: string, resources: readonly string[] = []) {
    super('LOCK_KEY', resources, message);
  }
}

/** The pool is shutting down and takes no new locks. */
export class RedlockClosedError extends RedlockError {
  constructor() {
    super('CLOSED', [], 'The lock service is shutting down and takes no new locks');
  }
}

function listed(nodes: readonly NodeOutcome[]): string {
  const parts = nodes.map(({ node, outcome, detail }) => `${node} ${outcome}${detail ? ` (${detail})` : ''}`);
  return parts.length > 0 ? `; ${parts.join(', ')}` : '';
}
