import type { MemoryNode } from '../../../lib/memory/memory-node.js';
import { wordsOf } from '../../support/command-words.js';

/**
 * What the script does that puts a node into quarantine: it begins so many ms ago as the client says, unless another one has begun after that.
 */
export function distrust(memory: MemoryNode, wire: string, now: number): void {
  const [words = []] = wordsOf(wire);
  // After this the marker is one of this run.
  memory.probe(() => undefined);
  const { marker, ...rest } = memory.snapshot();
  if (!marker) return;
  const since = Math.max(marker.since, now - Number(words.at(-1)));
  memory.restart({ ...rest, marker: { ...marker, run: marker.run + 1, since } });
}

/** The trust marker of a node as clients read it; `run` is how the node calls its present run. */
export function markerOf(memory: MemoryNode, run: string): string | null {
  const { marker } = memory.snapshot();
  if (!marker) return null;
  const isOfThisRun = memory.runId.endsWith(`/${marker.run}`);
  return `${isOfThisRun ? run : 'an earlier run'}|${Math.floor(marker.since * 1_000)}|${marker.maxTtl}`;
}
