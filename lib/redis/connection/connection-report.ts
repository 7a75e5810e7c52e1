import type { NodeEvent } from '../../engine/lock-node.js';
import { isForOperator } from './connect-failure.js';

/** Reports each change of a connection once, and not each command or attempt that fails. */
export class ConnectionReport {
  #isUp: boolean | undefined;
  /** Whether it was reported, since the connection was up last, that somebody has to do something. */
  #isOperatorTold = false;

  constructor(private readonly notify: (event: NodeEvent) => void) {}

  up(): void {
    this.#isOperatorTold = false;
    if (this.#isUp === true) return;
    this.#isUp = true;
    this.notify({ type: 'node-up' });
  }

  /**
   * Reports the end of a connection. Of the attempts that follow it reports the first one whose failure does not pass by itself, such as a
   * password that is not accepted any more: the reason for the end of the connection says nothing of that.
   */
  down(reason: string): void {
    const wasDown = this.#isUp === false;
    const isNews = isForOperator(reason) && !this.#isOperatorTold;
    this.#isUp = false;
    this.#isOperatorTold ||= isNews;
    if (!wasDown) this.notify({ type: 'node-down', reason });
    else if (isNews) this.notify({ type: 'node-warning', reason });
  }
}
