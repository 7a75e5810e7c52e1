import type { NodeStatus } from '../../lib/engine/status.js';

export type Way = 'unsafe' | 'locked' | 'once';

export interface NodeState {
  readonly name: string;
  readonly state: 'up' | 'down' | 'frozen' | 'slow';
}

/** What came of a race. */
export interface Outcome {
  readonly type: 'outcome';
  readonly at: number;
  readonly way: Way;
  readonly endpoint: string;
  readonly count: number;
  /** How many requests got each status; 0 is no answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** How many different bodies came with a 201. */
  readonly bodies: number;
  readonly users: number;
  readonly bonuses: number;
  readonly ms: number;
}

/** An event of the library, as it comes from a replica: there are more types, which the page does not draw. */
export interface ReplicaEvent {
  readonly type: 'acquired' | 'contended' | 'refused' | 'released' | 'lost' | 'replayed';
  readonly at: number;
  readonly replica: number;
  readonly resources?: readonly string[];
  /** Ms. */
  readonly waited?: number;
  readonly path?: string;
  readonly code?: string;
  readonly fencingToken?: number;
}

/** What the front sends. `at` is the wall clock, ms. */
export type LiveEvent =
  | {
      readonly type: 'nodes';
      readonly at: number;
      readonly replicas: number;
      /** Ms that a lease lasts. */
      readonly ttl: number;
      /** The nodes that the page may break: empty if the launcher did not start them. */
      readonly nodes: readonly NodeState[];
    }
  | {
      readonly type: 'race';
      readonly at: number;
      readonly way: Way;
      readonly path: string;
      readonly count: number;
      /** The address that signs up. */
      readonly email: string;
    }
  | { readonly type: 'answered'; readonly at: number; readonly replica: number; readonly status: number }
  | Outcome
  | { readonly type: 'inserted'; readonly at: number; readonly replica: number; readonly table: string }
  | {
      readonly type: 'status';
      readonly at: number;
      readonly replica: number;
      readonly quorum: number;
      readonly nodes: readonly NodeStatus[];
    }
  | ReplicaEvent;
