import type { Clock } from '../../core/time/clock.js';
import type { NodeEvent } from '../../core/port/lock-node.js';
import type { Reply } from './wire/wire-command.js';

/** What `NodeTrust` and `Probe` need of their node. */
export interface NodeLink {
  notify(event: NodeEvent): void;
  /** Called when it is known which server a new connection leads to, or that the server does not say. */
  identified?(): void;
  send(name: string, wire: string, settle: (reply: Reply) => void): void;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
