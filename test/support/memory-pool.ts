import type { LockEvent } from '../../lib/engine/events.js';
import { Redlock, type RedlockSettings } from '../../lib/engine/redlock.js';
import { MemoryData } from '../../lib/memory/memory-node.js';
import { ScriptedNode } from './scripted-node.js';
import { SeededRandom } from './seeded-random.js';
import { TRUSTING } from './trust.js';
import { VirtualClock } from './virtual-clock.js';

/** What a master knows, as a test sees it. */
class Memory {
  constructor(
    readonly data: MemoryData,
    private readonly maxTtl: number,
  ) {}

  get(resource: string): string | undefined {
    return this.data.read(resource)?.value;
  }

  set(resource: string, value: string, ttl?: number): void {
    this.data.plant(resource, value, ttl);
  }

  delete(resource: string): void {
    this.data.delete(resource);
  }

  /** Forgets everything; votes at once unless it is said to quarantine itself. */
  flush(quarantine = 0): void {
    this.data.clear(Math.min(quarantine, this.maxTtl));
  }
}

/** Masters in memory on a virtual clock, and clients of them. */
export class MemoryPool {
  readonly clock = new VirtualClock();
  /** What the masters know. */
  readonly memory: readonly Memory[];
  /** The way to them, with faults. */
  readonly nodes: readonly ScriptedNode[];
  #clients = 0;

  constructor(
    size = 3,
    readonly maxTtl = TRUSTING.maxTtl,
  ) {
    const { clock } = this;
    const start = clock.now();
    const world = {
      now: () => clock.now().monotonic - start.monotonic,
      date: () => clock.now().wall * 1_000,
    };
    const all = Array.from({ length: size }, () => new MemoryData(world, maxTtl));
    this.memory = all.map((data) => new Memory(data, maxTtl));
    this.nodes = all.map((data, index) => new ScriptedNode(`node-${index + 1}`, data, clock, maxTtl));
  }

  /** A further client of the same masters, another process as far as they can tell, which does not reach those of `without`. */
  client(
    settings: Partial<RedlockSettings> = {},
    without: readonly number[] = [],
  ): { redlock: Redlock; events: LockEvent[] } {
    this.#clients += 1;
    const channel = `client ${this.#clients}`;
    const events: LockEvent[] = [];
    const redlock = new Redlock({
      nodes: this.nodes.map((node, index) => node.connect(channel, without.includes(index) ? 'down' : undefined)),
      clock: this.clock,
      random: new SeededRandom(this.#clients),
      mark: `test@host#${this.#clients}:`,
      maxTtl: this.maxTtl,
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
