import { clicks } from './scenes/clicks.js';
import { fence } from './scenes/fence.js';
import { forget } from './scenes/forget.js';
import { replicas } from './scenes/replicas.js';
import type { Frame } from './scenes/scene.js';
import { transaction } from './scenes/transaction.js';
import { ttl } from './scenes/ttl.js';
import { unique } from './scenes/unique.js';

/** The story, then what is often believed. */
export const FRAMES: readonly Frame[] = [clicks, fence, forget, unique, ttl, replicas, transaction];

/** All parts of the page in their order. */
export const PAGES: readonly Pick<Frame, 'id' | 'title' | 'short' | 'lead'>[] = [
  ...FRAMES,
  {
    id: 'free',
    title: 'Free play',
    short: 'Free play',
    lead: 'Five nodes, and three servers that want one lock. Break something, and see what happens.',
  },
  {
    id: 'seed',
    title: 'A seed of CI',
    short: 'Seeds',
    lead: 'The tests of this library run many small worlds with faults. The number of a world makes the same world here.',
  },
];
