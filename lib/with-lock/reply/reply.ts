interface Replying {
  /** Turns an error of the lock into what the caller is to see. Errors of the work pass untouched. */
  readonly toReply?: ((error: unknown) => unknown) | undefined;
}

/** Returns what the caller sees of an error of the lock: if `toReply` throws, what it throws. */
export function replyOf({ toReply }: Replying, error: unknown): unknown {
  try {
    return toReply ? toReply(error) : error;
  } catch (failure) {
    return failure;
  }
}
