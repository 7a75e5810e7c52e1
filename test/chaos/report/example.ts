import type { Overlap } from '../check/exclusion.js';
import type { Chapter } from '../check/verdict.js';
import type { Hold } from '../record.js';
import type { Cast } from './trace.js';

export const HOLD: Hold = {
  id: 'client 1.1/3',
  client: 'client 1.1',
  resource: 'hot',
  token: 42,
  from: 1_100,
  to: 1_300,
  until: 1_400,
  lost: undefined,
};
/** Has the lock while `HOLD` has it. */
export const SECOND: Hold = { ...HOLD, id: 'client 2.1/4', client: 'client 2.1', from: 1_250, token: 43 };
export const OVERLAP: Overlap = { first: HOLD, second: SECOND, ms: 50 };

export const CAST: Cast = { nodes: ['node 1', 'node 2'], clients: ['client 1', 'client 2'] };

/** A chapter of three seconds. */
export const CHAPTER: Chapter = {
  from: 1_000,
  calm: { from: 3_000, to: 4_000, limit: 1_000 },
  faults: [
    { name: 'kill-node', where: ['node 1'], from: 1_200, to: 1_500 },
    { name: 'script-flush', where: ['node 2'], from: 1_200, to: 1_210 },
    { name: 'blackhole', where: ['way 2-2', 'way 2-1'], from: 1_200, to: 1_500 },
    { name: 'kill-client', where: ['client 2'], from: 2_000, to: 2_100 },
  ],
  history: {
    asks: [
      { id: HOLD.id, client: HOLD.client, resource: 'hot', asked: 1_050, answered: 1_100, code: undefined },
      { id: 'client 2.1/1', client: 'client 2.1', resource: 'hot', asked: 1_050, answered: 1_200, code: 'LOCKED' },
      { id: 'client 2.1/5', client: 'client 2.1', resource: 'hot', asked: 1_900, answered: undefined, code: undefined },
    ],
    holds: [HOLD, SECOND],
    looks: [],
    stalls: [],
    onces: [],
    troubles: [],
    nodeEvents: new Map(),
  },
};
