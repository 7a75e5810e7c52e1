import type { LockEvent } from '../../lib/core/api/events.js';
import { Redlock } from '../../lib/core/redlock.js';
import type { RedlockSettings } from '../../lib/core/redlock-settings.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { ScriptedNode } from './scripted-node.js';
import { SeededRandom } from './seeded-random.js';
import { TRUSTING } from './trust.js';
import { VirtualClock } from './virtual-clock.js';

/** Masters in memory on a virtual clock, and clients of them. */
export class MemoryPool {
  readonly clock = new VirtualClock();
  /** What the masters know. */
  readonly memory: readonly MemoryNode[];
  /** The way to them, with faults. */
  readonly nodes: readonly ScriptedNode[];
  #clients = 0;

  constructor(size = 3) {
    this.memory = Array.from({ length: size }, (_, index) => new MemoryNode(`node-${index + 1}`, this.clock, TRUSTING));
    this.nodes = this.memory.map((node) => new ScriptedNode(node, this.clock));
  }

  /** A further client of the same masters: another process, as far as they can tell. */
  client(settings: Partial<RedlockSettings> = {}): { redlock: Redlock; events: LockEvent[] } {
    this.#clients += 1;
    const events: LockEvent[] = [];
    const redlock = new Redlock({
      nodes: this.nodes,
      clock: this.clock,
      random: new SeededRandom(this.#clients),
      maxTtl: TRUSTING.maxTtl,
      listener: (event) => events.push(event),
      ...settings,
    });
    return { redlock, events };
  }

  /** What a call ends with, and when; `acquired` if it does not fail. */
  endOf(call: Promise<unknown>): Promise<unknown[]> {
    const now = (): number => this.clock.now().monotonic;
    return this.clock.until(
      call.then(
        () => ['acquired', now()],
        (error: Error & { code?: string }) => [error.code ?? error.message, now()],
      ),
    );
  }

  /** The value of `resource` on every master. */
  owners(resource: string): (string | undefined)[] {
    return this.memory.map((node) => node.get(resource));
  }
}
