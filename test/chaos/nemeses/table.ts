import { clockStep, clockStepMost, clockWrong } from './clocks.js';
import { blockClient, freezeClient, freezeNode, killClient } from './freeze.js';
import { killNode, killRolling, killThree, oldRdb } from './kill-node.js';
import type { Nemesis } from './nemesis.js';
import { blackhole, dropReplies, lateReplies, reset, slow, splitView, zombieBytes } from './network.js';
import { eviction, flush, killConnections, memoryFull, scriptFlush } from './operator.js';

/** All that can happen. */
export const NEMESES: readonly Nemesis[] = [
  killNode,
  killThree,
  killRolling,
  oldRdb,
  freezeNode,
  freezeClient,
  blockClient,
  killClient,
  blackhole,
  dropReplies,
  slow,
  lateReplies,
  splitView,
  reset,
  zombieBytes,
  clockStep,
  clockStepMost,
  clockWrong,
  flush,
  scriptFlush,
  killConnections,
  memoryFull,
  eviction,
];

/** What the library has to bear. */
export const BEARABLE: readonly Nemesis[] = NEMESES.filter(({ isBeyond }) => !isBeyond);

/** After these a key may have two answers, since its record is gone. */
export const FORGETTING: readonly string[] = NEMESES.filter(({ isForgetting }) => isForgetting).map(({ name }) => name);
