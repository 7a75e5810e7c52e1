import type { Clock } from '../../core/time/clock.js';
import type { NodeEvent } from '../../core/port/lock-node.js';
import type { Reply } from './wire-command.js';

/** What the trust in a node needs of it. */
export interface NodeLink {
  tell(event: NodeEvent): void;
  /** It is known which server is at the end of a new connection, or that it does not say. */
  identified?(): void;
  send(name: string, wire: string, settle: (reply: Reply) => void): void;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
