import { parentPort } from 'node:worker_threads';
import type { Range, Summary } from './seeds.js';
import { simulate } from './simulation.js';

// Most errors here are expected, and nobody reads where they come from.
Error.stackTraceLimit = 0;

async function run({ first, count, options }: Range): Promise<Summary> {
  const summary: Summary = { seeds: 0, events: 0, holds: 0, failed: undefined };
  for (let seed = first; seed < first + count && summary.failed === undefined; seed += 1) {
    const { failure, events, holds } = await simulate(seed, options);
    summary.seeds += 1;
    summary.events += events;
    summary.holds += holds;
    if (failure) summary.failed = seed;
  }
  return summary;
}

const port = parentPort!;

port.on('message', (message: Range | 'end') => {
  if (message === 'end') port.close();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  else void run(message).then((summary) => port.postMessage(summary));
});
