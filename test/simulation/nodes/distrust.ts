import type { MemoryNode } from '../../../lib/memory/memory-node.js';
import { wordsOf } from '../../support/command-words.js';

/**
 * What the script does that puts a node into quarantine: it begins when the client noticed why, which the script is told by how long ago that
 * was, unless another one has begun after that.
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
