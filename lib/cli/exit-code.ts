/** The exit codes of the command, which can so be used as a probe. */
export const EXIT = {
  fine: 0,
  /** There is a quorum, but something is not as it should be. */
  degraded: 1,
  noQuorum: 2,
  /** `break` had nothing to release, or was told not to. */
  nothingReleased: 3,
  /** The command was called in a wrong way (EX_USAGE). */
  usage: 64,
  /** The command itself failed (EX_SOFTWARE). */
  failure: 70,
} as const;

/** A command that was called in a wrong way. */
export class UsageError extends Error {}

/** Returns the code for so many nodes that do what they should, of so many. */
export function exitCodeOf(good: number, nodes: number, quorum: number): number {
  if (good < quorum) return EXIT.noQuorum;
  return good < nodes ? EXIT.degraded : EXIT.fine;
}
