/** What makes clients trust nodes. */
export interface Trust {
  readonly maxTtl: number;
  readonly restartQuarantine: boolean;
}

/** For tests that do not want to wait for new nodes, and that hold locks for long. */
export const TRUSTING: Trust = { maxTtl: 10_000_000, restartQuarantine: false };
