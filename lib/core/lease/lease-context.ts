import type { LockLossReason } from '../api/errors.js';
import type { Link } from '../collections/linked-list.js';
import type { Won } from '../quorum/outcome/outcome.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import type { Moment } from '../time/clock.js';
import type { LockListener } from '../api/events.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { CallTrace } from '../api/telemetry/call-trace.js';

/** A held lock, as those who wait for it see it. */
export interface HeldLease {
  readonly resources: readonly string[];
  readonly validity: number;
  /** The value of its owner on the nodes. */
  readonly value: string;
}

/** A held lock, as a shutdown sees it. */
export interface TrackedLease extends HeldLease {
  readonly tracked: Link<TrackedLease>;
  readonly taken: Moment;
  /** Takes the lock away from its holder, and notifies the holder before anybody else can have the lock; `why` is the reason in words. */
  revoke(reason: LockLossReason, why: string): Promise<void>;
}

/** Whether a caller of this process waits for a lock, and if so, whether the lock may pass to that caller without the nodes. */
export type Successor = 'nobody' | 'waits' | 'may have it';

/** The callers of this process that wait for a lock, as its lease sees them. */
export interface WaitingCallers {
  successorOf(lease: HeldLease, won: Required<Won>, now: Moment): Successor;
  /** Passes the claim to the next caller, which `may have it`. */
  passOn(lease: HeldLease, won: Required<Won>): void;
  /** Starts the turn of the next caller of each resource. Called when the lock is over. */
  lockIsOver(lease: HeldLease): void;
}

/** Gives claims back later; `decision` resolves once enough nodes have answered. */
export interface Releases {
  /** Gives the claim back in `remaining` ms. */
  keep(claim: OwnClaim, ttl: number, remaining: number): { readonly decision: Promise<unknown> };
}

/** What a lease needs from the engine. */
export interface LeaseContext {
  readonly pool: NodePool;
  readonly releases: Releases;
  readonly callers: WaitingCallers;
  /** Knows which leases are held; `over` ends that. */
  readonly shutdown: { over(lease: TrackedLease): void };
  /** Ms that a lease may last without an extension. */
  readonly maxTtl: number;
  readonly emit: LockListener;
  /** Publishes the life of the lease; undefined if nobody observed it when its lock was asked for. */
  readonly trace?: CallTrace;
}
