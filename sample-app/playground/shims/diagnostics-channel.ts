interface Channel {
  readonly hasSubscribers: false;
  publish(): void;
}

/** A channel that nobody subscribes to. */
export function channel(): Channel {
  return { hasSubscribers: false, publish: () => undefined };
}

export const tracingChannel = channel;
