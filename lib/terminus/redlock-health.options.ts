export interface RedlockHealthOptions {
  /** The name of the pool that is checked. @default the pool without a name */
  pool?: string;
  /**
   * The state that is reported while too few nodes vote for a lock. 'degraded' keeps the health check at HTTP 200, for applications that serve
   * most of their routes without a lock. @default 'down'
   */
  whenDown?: 'down' | 'degraded';
  /** Whether the answer names the nodes, and says why they do not vote; set it to false if the health endpoint is public. @default true */
  details?: boolean;
  /** Ms that a node may take to answer before it counts as one that does not vote. @default as long as it may take for a lock */
  timeout?: number;
}
