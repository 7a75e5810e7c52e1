import type { NodeLink } from '../connection/node-link.js';

/** Reports once that a node does not vote for a while, and once that it votes again. */
export class QuarantineReport {
  /** Whether it is reported as one that does not vote. */
  isOut = false;

  constructor(private readonly link: Pick<NodeLink, 'notify'>) {}

  out(reason: string, remaining: number): void {
    if (this.isOut) return;
    this.isOut = true;
    this.link.notify({ type: 'node-quarantined', reason, remaining });
  }

  back(): void {
    this.isOut = false;
    this.link.notify({ type: 'node-trusted' });
  }
}
