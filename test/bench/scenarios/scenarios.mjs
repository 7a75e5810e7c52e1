import { alone } from './alone.mjs';
import { arrivals } from './arrivals.mjs';
import { bareCalls } from './bare-calls.mjs';
import { burst } from './burst.mjs';
import { decorator } from './decorator.mjs';
import { held } from './held.mjs';
import { http } from './http.mjs';
import { limit } from './limit.mjs';
import { memory } from './memory.mjs';
import { near } from './near.mjs';
import { network } from './network.mjs';
import { nodeTime } from './node-time.mjs';
import { once } from './once.mjs';
import { outage } from './outage.mjs';
import { steady } from './steady.mjs';
import { traffic } from './traffic.mjs';

/** In the order in which they run. */
export const SCENARIOS = [
  alone,
  near,
  burst,
  steady,
  limit,
  traffic,
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
  once,
  http,
];
