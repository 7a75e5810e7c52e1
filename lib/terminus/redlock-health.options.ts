export interface RedlockHealthOptions {
  /** Which pool is checked. @default the pool without a name */
  pool?: string;
  /**
   * What a pool reports that cannot give locks: 'degraded' keeps the health check at HTTP 200, for applications that serve most of their
   * routes without a lock. @default 'down'
   */
  whenDown?: 'down' | 'degraded';
  /** Whether the answer has the nodes, with their names and with reasons; set it to false where the health endpoint is public. @default true */
  details?: boolean;
  /** Ms that a node may take to answer before it counts as one that does not vote. @default as long as it may take for a lock */
  timeout?: number;
}
