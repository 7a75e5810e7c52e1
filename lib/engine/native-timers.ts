import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { runInNewContext } from 'node:vm';

/**
 * The clocks and timers of Node, taken when this file loads. Locks must not follow what a test puts in their place later: under fake timers, a lock
 * would never come or would last too long.
 */
export const { setTimeout, setInterval, clearTimeout, setImmediate } = timers;

/** Returns ms on the monotonic clock of Node. */
export const monotonicNow: () => number = performance.now.bind(performance);

const isNative = (value: () => unknown): boolean => /\[native code\]/.test(Function.prototype.toString.call(value));

/** The `Date` of Node, also if a test has replaced the global one before this file loaded. */
const RealDate = isNative(Date) && isNative(Date.now) ? Date : (runInNewContext('Date') as DateConstructor);

/** Returns ms on the wall clock. */
export const wallNow: () => number = RealDate.now.bind(RealDate);

/** Calls `task` in a microtask. `queueMicrotask` is a global function that a test may replace; a promise is not. */
export function soon(task: () => void): void {
  void Promise.resolve().then(task);
}

/**
 * Runs a function in the async context in which this file was loaded. Timers and connections serve all calls: without it, what they do would belong
 * to the trace of the call, or of the start of the application, that happened to create them.
 */
export const inRootContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/** Does nothing. */
export function ignore(): void {
  // Nothing.
}
