import { alone } from './alone.mjs';
import { arrivals } from './arrivals.mjs';
import { bareCalls } from './bare-calls.mjs';
import { burst } from './burst.mjs';
import { decorator } from './decorator.mjs';
import { held } from './held.mjs';
import { memory } from './memory.mjs';
import { network } from './network.mjs';
import { nodeTime } from './node-time.mjs';
import { outage } from './outage.mjs';
import { steady } from './steady.mjs';

/** In the order in which they run. */
export const SCENARIOS = [
  alone,
  burst,
  steady,
  arrivals,
  outage('slow'),
  outage('frozen'),
  outage('killed'),
  network,
  held,
  memory,
  bareCalls,
  nodeTime,
  decorator,
];
