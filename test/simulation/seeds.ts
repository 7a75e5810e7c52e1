import { Worker } from 'node:worker_threads';
import type { SimulationOptions } from './simulation.js';

export interface Range {
  readonly first: number;
  readonly count: number;
  readonly options: SimulationOptions;
}

export interface Summary {
  seeds: number;
  events: number;
  holds: number;
  /** The smallest seed that failed. */
  failed: number | undefined;
}

const CHUNK = 100;

/** Runs the seeds of a range in so many threads, in order, and stops at the first that fails; `tell` hears how far it is. */
export async function runSeeds(range: Range, workers: number, tell: (sofar: Summary) => void): Promise<Summary> {
  const summary: Summary = { seeds: 0, events: 0, holds: 0, failed: undefined };
  const end = range.first + range.count;
  let next = range.first;
  const nextChunk = (): Range | undefined => {
    if (summary.failed !== undefined || next >= end) return undefined;
    const first = next;
    next += CHUNK;
    return { ...range, first, count: Math.min(CHUNK, end - first) };
  };
  const took = (done: Summary): void => {
    summary.seeds += done.seeds;
    summary.events += done.events;
    summary.holds += done.holds;
    if (done.failed !== undefined) summary.failed = Math.min(done.failed, summary.failed ?? Infinity);
    tell(summary);
  };
  await Promise.all(Array.from({ length: workers }, () => work(nextChunk, took)));
  return summary;
}

function work(nextChunk: () => Range | undefined, took: (done: Summary) => void): Promise<void> {
  const worker = new Worker(new URL('./worker.js', import.meta.url));
  return new Promise((resolve, reject) => {
    const goOn = (): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(nextChunk() ?? 'end');
    };
    worker.on('message', (done: Summary) => {
      took(done);
      goOn();
    });
    worker.once('error', reject);
    worker.once('exit', () => resolve());
    goOn();
  });
}
