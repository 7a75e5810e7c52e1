import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs a function in the async context in which this file was loaded. Timers and connections serve all calls: without it, what they do would belong
 * to the trace of the call, or of the start of the application, that happened to create them.
 */
export const inRootContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();
