import { Claim } from '../../lib/core/port/claim.js';
import type { NodeEvent, ProbeAnswer } from '../../lib/core/port/lock-node.js';
import { SingleCall } from '../../lib/core/port/single-call.js';
import { FaultyNode } from '../../lib/testing/nodes/faulty-node.js';
import { VirtualClock } from './virtual-clock.js';

/** Ms. */
export const MAX_TTL = 1_000;
/** What calls are answered whose connection breaks. */
export const BROKEN = { kind: 'unknown', reason: 'connection closed', sent: true };

/** A caller of a faulty node on a virtual clock, which notes what the node answers and tells. */
export class NodeCaller {
  readonly clock = new VirtualClock();
  readonly node: FaultyNode;
  /** What the node told, in order. */
  readonly events: NodeEvent[] = [];
  /** What was answered, in order. */
  readonly answers: unknown[] = [];
  readonly claim = new Claim(['a'], 'ours');
  readonly other = new Claim(['a'], 'theirs');

  private constructor(restartQuarantine: boolean) {
    this.node = new FaultyNode('node', this.clock, { maxTtl: MAX_TTL, restartQuarantine });
  }

  static async open({ restartQuarantine = false } = {}): Promise<NodeCaller> {
    const caller = new NodeCaller(restartQuarantine);
    await caller.node.open((event) => caller.events.push(event));
    return caller;
  }

  get kinds(): unknown[] {
    return this.answers.map((answer) => (answer as { kind: string }).kind);
  }

  readonly note = (answer: unknown): void => void this.answers.push(answer);

  acquire(claim = this.claim): void {
    this.node.acquire(new SingleCall(claim, 500, this.note), 0);
  }

  release(claim = this.claim, ttl = 500): void {
    this.node.release(new SingleCall(claim, ttl, this.note), 0);
  }

  probed(): Promise<ProbeAnswer> {
    return new Promise((resolve) => this.node.probe(resolve));
  }

  /** Lets the node answer what it can answer now. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }
}
