import type { LockedRun } from './run-locked.js';

/** What the caller sees of an error of the lock. */
export function replyOf({ toReply }: Pick<LockedRun, 'toReply'>, error: unknown): unknown {
  try {
    return toReply ? toReply(error) : error;
  } catch (failure) {
    return failure;
  }
}
