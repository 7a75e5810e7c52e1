import { describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { LockNode, NodeEvent } from '../../../lib/engine/lock-node.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { Warnings } from '../../../lib/redis/warnings.js';

describe('a node that warns of something else every 70 ms', () => {
  it('is heard 10 times a minute, and the other nodes as before', async () => {
    const warned: string[] = [];
    const listener = (event: LockEvent): void => {
      if (event.type === 'node-warning') warned.push(event.node);
    };
    const nodes = ['loud', 'quiet', 'third'].map((name) => new MemoryNode(name, new SystemClock()));
    const notifiers = nodes.map(notifierOf);
    const redlock = new Redlock({ nodes, listener });
    await redlock.open();
    for (let number = 0; number < 820; number += 1) notifiers[0]!({ type: 'node-warning', reason: `${number}` });
    notifiers[1]!({ type: 'node-warning', reason: 'any' });
    expect(warned.filter((node) => node === 'loud')).toHaveLength(10);
    expect(warned.at(-1)).toBe('quiet');
    await redlock.close();
  });

  it('has its last 20 warnings remembered, so that they are not repeated', () => {
    let given = 0;
    const warnings = new Warnings({ notify: () => void (given += 1) });
    for (let number = 0; number < 40; number += 1) warnings.give(`${number}`);
    warnings.give('20');
    expect(given).toBe(40);
    warnings.give('0');
    expect(given).toBe(41);
  });
});

/** Has a node tell what a test wants it to tell. */
function notifierOf(node: LockNode): (event: NodeEvent) => void {
  let notify: (event: NodeEvent) => void = () => undefined;
  const open = node.open.bind(node);
  node.open = (listener) => {
    notify = (event) => listener.event(event);
    return open(listener);
  };
  return (event) => notify(event);
}
