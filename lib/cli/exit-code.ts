/** The exit codes of the command, so that it can be a probe. */
export const EXIT = {
  fine: 0,
  degraded: 1,
  noQuorum: 2,
  nothingReleased: 3,
  // EX_USAGE and EX_SOFTWARE.
  usage: 64,
  failure: 70,
  // 128 and the number of the signal, as in a shell.
  interrupted: 130,
  terminated: 143,
} as const;

/** What each code means, for --help. */
export const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: 'all is well',
  degraded: 'degraded: a quorum votes or answers, but some nodes do not, or doctor found something',
  noQuorum: 'no quorum: too few nodes vote, or too few answer to know what is locked',
  nothingReleased: 'break has released nothing',
  usage: 'the command was called in a wrong way',
  failure: 'the command itself failed',
  interrupted: 'ended by Ctrl-C, as watch always is',
  terminated: 'ended by SIGTERM',
};

/** Says that the command was called in a wrong way. */
export class UsageError extends Error {}

/** Returns the exit code if `good` of all nodes do what they should. */
export function exitCodeOf(good: number, nodes: number, quorum: number): number {
  if (good < quorum) return EXIT.noQuorum;
  return good < nodes ? EXIT.degraded : EXIT.fine;
}
