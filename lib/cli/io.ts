import { jsonOf } from './output/layout.js';

/** What a command sees of the world; tests bring their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly complain: (text: string) => void;
  /** Asks the operator and returns the answer; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Characters in a line of the terminal; undefined if the output goes elsewhere. */
  readonly columns: number | undefined;
}

/** The result of a command. */
export interface Outcome {
  readonly code: number;
  /** Returns the text for people, in lines of at most so many characters. */
  readonly text: (columns: number) => string;
  /** For machines. */
  readonly json: object;
}

export function show({ text, json }: Outcome, asJson: boolean | undefined, io: Io): void {
  io.print(`${asJson ? jsonOf(json) : text(io.columns ?? Infinity)}\n`);
}

/** Shows what would change, asks, and returns whether the operator says yes. */
export async function agrees(io: Io, asJson: boolean | undefined, preview: string, question: string): Promise<boolean> {
  if (asJson) io.complain(preview);
  else io.print(preview);
  const answer = await io.ask!(`${question} [yes/no] `);
  return answer.trim().toLowerCase() === 'yes';
}

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
  degraded: 'degraded: a quorum votes, but some nodes do not vote or answer, or doctor found a fault',
  noQuorum: 'no quorum: too few nodes vote, or too few answer to know what is locked',
  nothingReleased: 'break released nothing, or forget removed nothing',
  usage: 'wrong arguments',
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
