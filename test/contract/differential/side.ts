import type { NodeAnswer } from '../../../lib/redis/batch/reply-decoder.js';
import type { Sequence, Step } from './sequence.js';

export interface Terms {
  /** Ms. */
  readonly maxTtl: number;
  /** Microseconds when the run began, for all proposals. */
  readonly epoch: number;
}

/** What a waiter was told. */
export interface Told {
  readonly process: number;
  /** Index of the claim that waited. */
  readonly claim: number;
  readonly fence: number;
  readonly oldest: number | undefined;
  /** How many questions of the step had been answered by then. */
  readonly after: number;
}

/** What came back from a step. */
export interface Echo {
  /** In the order of the questions, with the index that was told. */
  readonly answers: readonly (NodeAnswer & { readonly nodeIndex: number })[];
  readonly told: readonly Told[];
}

/** What a node knows of one resource. */
export interface ResourceState {
  readonly resource: string;
  readonly owner: string | undefined;
  /** Ms; Infinity where it never ends, 0 where no claim has it. */
  readonly left: number;
  /** The values of the waiters, the next one first. */
  readonly line: readonly string[];
  /** The fence counter. */
  readonly fence: number | undefined;
}

/** A node with the processes that ask it, which takes the steps of a sequence. */
export interface Side {
  /** Forgets everything that was, and is trusted. */
  begin(sequence: Sequence): Promise<void>;
  /** Resolves when all grants have been told to their waiters. */
  take(step: Step): Promise<Echo>;
  stateOf(resources: readonly string[]): Promise<ResourceState[]>;
}
