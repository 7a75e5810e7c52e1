export interface RestartOptions {
  /** Keeps the data of the node, as if it had written everything to its disk. @default false: it comes back empty */
  keep?: boolean;
  /** Keeps the node out of the vote for `maxTtl` ms, as a restarted Redis node is. @default `restartQuarantine` of the module */
  quarantine?: boolean;
}

/** A node in memory, with the faults that a test can cause; each fault replaces the one before. */
export interface TestingNode {
  /** The name of the node in errors, events and `status()`. */
  readonly name: string;
  /** Makes the node unreachable; it keeps its data. */
  down(): void;
  /** Makes every command reach the node `ms` ms late. */
  slow(ms: number): void;
  /** Makes the node take commands without answering; it carries out all of them once it recovers. */
  freeze(): void;
  /** Ends the fault. */
  recover(): void;
  /** Restarts the node, without a fault. */
  restart(options?: RestartOptions): void;
}
