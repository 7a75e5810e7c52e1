import type { Claim } from '../core/port/claim.js';
import type { MemoryEntries } from './memory-entries.js';
import type { MemoryFences } from './memory-fences.js';
import type { MemoryMarker } from './memory-trust.js';

/** What a node in memory had on its disk at some moment. */
export interface Snapshot {
  readonly entries: ReturnType<MemoryEntries['snapshot']>;
  readonly lines: ReadonlyMap<string, readonly Claim[]>;
  readonly fences: ReturnType<MemoryFences['snapshot']>;
  readonly marker: MemoryMarker | undefined;
}

/** What a node has on its disk that was never saved. */
export const NOTHING: Snapshot = { entries: new Map(), lines: new Map(), fences: new Map(), marker: undefined };
