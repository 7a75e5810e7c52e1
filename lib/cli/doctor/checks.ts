import { clock } from './checks/clock.js';
import { clusterMode } from './checks/cluster-mode.js';
import { deadLines } from './checks/dead-lines.js';
import { endlessKeys } from './checks/endless-keys.js';
import { eviction } from './checks/eviction.js';
import { foreignKeys } from './checks/foreign-keys.js';
import { hiddenKeys } from './checks/hidden-keys.js';
import { latency } from './checks/latency.js';
import { lua } from './checks/lua.js';
import { nodeCount } from './checks/node-count.js';
import { replica } from './checks/replica.js';
import { resp3 } from './checks/resp3.js';
import { rights } from './checks/rights.js';
import { sameServer } from './checks/same-server.js';
import { version } from './checks/version.js';
import { votes } from './checks/votes.js';
import type { Check } from './finding.js';

/** All that doctor looks at, each in a file of its own, in the order in which it is told. */
export const CHECKS: readonly Check[] = [
  nodeCount,
  sameServer,
  votes,
  replica,
  clusterMode,
  eviction,
  lua,
  rights,
  resp3,
  latency,
  clock,
  version,
  foreignKeys,
  endlessKeys,
  deadLines,
  hiddenKeys,
];
