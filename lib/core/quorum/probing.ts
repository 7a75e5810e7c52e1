import type { LockNode, ProbeAnswer } from '../port/lock-node.js';
import { elapsed, type Clock } from '../time/clock.js';

/** What came of asking a node for a vote that is given back at once. */
export interface Probed {
  /** `unknown` where the node did not answer in time. */
  readonly answer: ProbeAnswer;
  /** Ms from the question to the answer. */
  readonly latency: number;
}

/** Asks a node whether it would vote; the node has `timeout` ms to answer. */
export function probed(node: LockNode, timeout: number, clock: Clock): Promise<Probed> {
  const asked = clock.now();
  return new Promise((resolve) => {
    const settle = (answer: ProbeAnswer): void => resolve({ answer, latency: elapsed(asked, clock.now()) });
    const silence: ProbeAnswer = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
    const stopTimer = clock.schedule(timeout, () => clock.afterInput(() => settle(silence)));
    node.probe((answer) => {
      stopTimer();
      settle(answer);
    });
  });
}
