import { inspect } from 'node:util';
import type { LockHolder } from './process-mark.js';
import { shown } from './names.js';

/** The codes of lock errors. Compare these to tell errors apart. */
export type RedlockErrorCode =
  'RESOURCE_LOCKED' | 'QUORUM_NOT_REACHED' | 'LOCK_LOST' | 'LOCK_KEY' | 'CLOSED' | 'NO_SERVICE';

/** Why a lock was lost, for programs. */
export type LockLossReason =
  /** A quorum of nodes no longer has the lock, or did not confirm its extension before the lease expired. */
  | 'nodes'
  /** The process was paused, or its event loop was blocked, until the lease had expired. */
  | 'pause'
  /** The lease expired, and automatic extension was off. */
  | 'ttl'
  /** The lock had been held for `maxHold` ms, so that extension ended. */
  | 'max_hold'
  /** The application shut down, and its `shutdownTimeout` was over. */
  | 'shutdown'
  /** The holder had released the lock itself. Only thrown errors have this reason; `lost` events do not. */
  | 'released';

/** What one node answered, or why there is no answer. */
export interface NodeOutcome {
  /** The name of the node. */
  readonly node: string;
  /** The answer of the node. */
  readonly outcome:
    /** The node voted for the lock. */
    | 'granted'
    /** Another holder has the resource on the node. */
    | 'held'
    /** The node is in quarantine and does not vote. */
    | 'quarantined'
    /** The node extended the lock. */
    | 'extended'
    /** The node no longer has the lock. */
    | 'missing'
    /** Another holder has the resource, so that the node could not extend the lock. */
    | 'taken'
    /** The node answered that it refuses. */
    | 'refused'
    /** The node gave no usable answer in time. */
    | 'unknown'
    /** The call was decided before the node answered. */
    | 'pending';
  /** The reason of the outcome, or the time until the node frees the resource or votes again. */
  readonly detail?: string;
}

/** Marks all lock errors. All copies of this package find it, and no error of an application has it, whatever its `code`. */
const MARK = Symbol.for('nestjs-redlock:error');
const CODE = Symbol('code');

/**
 * The base class of all lock errors. Compare `code` to tell the errors apart. Messages name a resource up to its first separator only, because
 * logs contain messages.
 */
export class RedlockError extends Error {
  /** @internal The code of all errors of a class; undefined for a class whose errors have several. */
  static readonly [CODE]: RedlockErrorCode | undefined = undefined;
  readonly #resources: readonly string[];

  constructor(
    /** Which error this is. */
    readonly code: RedlockErrorCode,
    resources: readonly string[],
    message: string,
  ) {
    super(message);
    // A text, because a bundler may rename the class.
    this.name = 'RedlockError';
    this.#resources = Object.freeze([...resources]);
  }

  /** The full names of the resources. The property is not enumerable, so that loggers leave the names out. */
  get resources(): readonly string[] {
    return this.#resources;
  }

  /** @internal */
  get [MARK](): boolean {
    return true;
  }

  /** @internal `instanceof`, `@Catch(RedlockError)` and filters recognise errors of another copy of this package, too: by their code. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    // A class of an application is told by its prototype, as usual.
    if (!Object.hasOwn(this, CODE)) return Function.prototype[Symbol.hasInstance].call(this, error);
    return isLockError(error) && (this[CODE] === undefined || this[CODE] === error.code);
  }

  /** @internal Returns a short stack, because logs print errors by this method, and the message already says everything. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** Recognises an error of a lock by its mark, also one of another copy of this package, whose classes are others. */
export function isLockError(error: unknown): error is RedlockError {
  return error instanceof Error && MARK in error;
}

/** Another holder kept the resource for as long as the caller waited. */
export class ResourceLockedError extends RedlockError {
  /** @internal */
  static override readonly [CODE] = 'RESOURCE_LOCKED';
  /** Who holds the resource. The property is not enumerable. @default undefined: the votes were split, or another library holds the resource */
  declare readonly cause?: LockHolder | undefined;

  constructor(
    resources: readonly string[],
    /** Ms until the lease of the holder expires on a quorum of nodes, unless the holder extends it. Infinity if a key never expires. */
    readonly retryAfter: number,
    /** The outcome of each node. */
    readonly nodes: readonly NodeOutcome[],
    /** Other resources that the code around the call held while it waited. */
    holding: readonly string[] = [],
  ) {
    super(
      'RESOURCE_LOCKED',
      resources,
      `${shown(resources)} is locked by another holder${deadlockHint(resources, holding)}`,
    );
    this.name = 'ResourceLockedError';
  }
}

function deadlockHint(resources: readonly string[], holding: readonly string[]): string {
  if (holding.length === 0) return '';
  const held = shown(holding);
  return (
    `, and this call holds ${held}. If that holder waits for ${held}, it is a deadlock: take both in one call, ` +
    `withLock([${shown([...holding, ...resources])}], ...)`
  );
}

/** Too few nodes voted in time to decide about the lock. */
export class QuorumNotReachedError extends RedlockError {
  /** @internal */
  static override readonly [CODE] = 'QUORUM_NOT_REACHED';
  /** Ms until a quorum votes again, if nodes in quarantine are the only reason; otherwise 1,000. */
  readonly retryAfter: number;

  constructor(
    resources: readonly string[],
    /** The outcome of each node. */
    readonly nodes: readonly NodeOutcome[],
    cause: string | { readonly why: string; readonly retryAfter: number },
  ) {
    const { why, retryAfter } = typeof cause === 'string' ? { why: cause, retryAfter: 1_000 } : cause;
    super('QUORUM_NOT_REACHED', resources, `No quorum for ${shown(resources)}: ${why}${listed(nodes)}`);
    this.name = 'QuorumNotReachedError';
    this.retryAfter = retryAfter;
  }
}

/** The holder can no longer prove that it has the lock. Another caller may have the lock now. */
export class LockLostError extends RedlockError {
  /** @internal */
  static override readonly [CODE] = 'LOCK_LOST';
  constructor(
    resources: readonly string[],
    /** Why the lock was lost, for programs. */
    readonly reason: LockLossReason,
    /** Why the lock was lost, for people. */
    readonly why: string,
  ) {
    super('LOCK_LOST', resources, `The lock on ${shown(resources)} was lost: ${why}`);
    this.name = 'LockLostError';
  }
}

/** The call has no usable resource name. */
export class LockKeyError extends RedlockError {
  /** @internal */
  static override readonly [CODE] = 'LOCK_KEY';
  constructor(message: string, resources: readonly string[] = []) {
    super('LOCK_KEY', resources, message);
    this.name = 'LockKeyError';
  }
}

/** The pool is shutting down and grants no new locks. */
export class RedlockClosedError extends RedlockError {
  /** @internal */
  static override readonly [CODE] = 'CLOSED';
  /** Ms after which to try again. By then a load balancer has chosen another replica. */
  readonly retryAfter = 1_000;

  constructor() {
    super('CLOSED', [], 'The lock service is shutting down and takes no new locks');
    this.name = 'RedlockClosedError';
  }
}

function listed(nodes: readonly NodeOutcome[]): string {
  const parts = nodes.map(({ node, outcome, detail }) => `${node} ${outcome}${detail ? ` (${detail})` : ''}`);
  return parts.length > 0 ? `; ${parts.join(', ')}` : '';
}

const FRAME = /^\s*at /;
/** A frame of this file, or of the file into which the build puts this file and others: `.ci/bundle.mjs`. */
const OWN_FRAME = /^\s*at (?:.*\()?(.*[\\/])(?:engine[\\/]errors|redlock\.shared)\.\w+:\d+:\d+\)?$/;

/** The directory of this package as frames name it; undefined if the package has become a part of another file. */
const HOME = OWN_FRAME.exec(linesOf(new Error('here').stack).find((line) => FRAME.test(line)) ?? '')?.[1];

/** Frames that are of no use to the reader of an application's log. */
const FOREIGN = /[\\/]node_modules[\\/]|node:internal/;

/** Returns a stack with the frames of the application only: without the frames of this package, of other packages and of Node. */
export function briefly(stack: unknown): string {
  const isForeign = (line: string): boolean => FOREIGN.test(line) || (HOME !== undefined && line.includes(HOME));
  return linesOf(stack)
    .filter((line) => !(FRAME.test(line) && isForeign(line)))
    .join('\n');
}

/** Returns the lines of a stack, which tools may have replaced by something that is not a string. */
function linesOf(stack: unknown): string[] {
  return String(stack).split('\n');
}
