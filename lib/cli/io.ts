import { jsonOf } from './output/plain.js';

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
