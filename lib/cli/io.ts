/** What a command has of the world around it; tests bring their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Asks the operator and returns the answer; undefined where there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Whether the output is a terminal, which can be cleared. */
  readonly isTerminal: boolean;
  /** Aborts when the operator ends the command. */
  readonly interrupted: AbortSignal;
}
