import type { LockHolder } from '../engine/process-mark.js';

/** Who leads. */
export interface CurrentLeader extends LockHolder {
  /** The number of the term: its fencing token. */
  readonly term: number;
  /** When the term began, on the clock of this process. */
  readonly since: Date;
}
