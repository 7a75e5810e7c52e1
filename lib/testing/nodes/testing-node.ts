export interface RestartOptions {
  /** Comes back with what it had, as a node does that writes everything to its disk. @default false: it comes back empty */
  keep?: boolean;
  /** Stays out of the vote for `maxTtl` ms, as a restarted Redis node does. @default `restartQuarantine` of the module */
  quarantine?: boolean;
}

/** A node in memory, and what a test can do to it; each fault takes the place of the one before. */
export interface TestingNode {
  /** How errors, events and `status()` call it. */
  readonly name: string;
  /** Nobody can reach it; what it has it keeps. */
  down(): void;
  /** Everything that is asked of it arrives `ms` ms late. */
  slow(ms: number): void;
  /** Takes what it is asked and answers nothing; once it recovers it does it all. */
  freeze(): void;
  /** Ends the fault. */
  recover(): void;
  /** Starts over, without a fault. */
  restart(options?: RestartOptions): void;
}
