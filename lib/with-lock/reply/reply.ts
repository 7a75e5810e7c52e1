/** How a call replies. */
interface Replying {
  /** Turns an error of the lock into what the caller is to see. Errors of the work pass untouched. */
  readonly toReply?: ((error: unknown) => unknown) | undefined;
}

/** What the caller sees of an error of the lock. */
export function replyOf({ toReply }: Replying, error: unknown): unknown {
  try {
    return toReply ? toReply(error) : error;
  } catch (failure) {
    return failure;
  }
}
