import { MemoryNode } from '../../lib/memory/memory-node.js';
import { Machine, type MachineTerms } from './machine.js';
import { isHeard } from './sent-claim.js';
import type { Weakness } from './weakness.js';
import type { World } from './world.js';

/** What a node remembers when it is started again. */
export type Memory = 'everything' | 'nothing' | 'an old snapshot';

export interface NodeTerms extends MachineTerms {
  readonly maxTtl: number;
  readonly weakness: Weakness | undefined;
}

interface Waiting {
  readonly pipe: object;
  readonly run: () => void;
}

/** One master on a machine of its own, which can stand still, crash and forget. */
export class SimulatedNode {
  readonly machine: Machine;
  readonly memory: MemoryNode;
  /** Which start of the process this is; connections end with it. */
  run = 1;
  isUp = true;
  /** What is delivered while it stands still. */
  #backlog: Waiting[] | undefined;
  #snapshot: ReturnType<MemoryNode['snapshot']>;

  constructor(
    private readonly world: World,
    private readonly terms: NodeTerms,
  ) {
    this.machine = new Machine(world, terms);
    const restartQuarantine = terms.weakness !== 'no quarantine';
    const { name, maxTtl } = terms;
    this.memory = new MemoryNode(name, this.machine, { maxTtl, restartQuarantine, listens: isHeard });
    this.#snapshot = this.memory.snapshot();
  }

  get name(): string {
    return this.terms.name;
  }

  get answers(): boolean {
    return this.isUp && this.#backlog === undefined;
  }

  /** What arrives over `pipe`, in order; between two pipes there is none. */
  receive(pipe: object, run: () => void): void {
    if (!this.isUp) return;
    if (this.#backlog) this.#backlog.push({ pipe, run });
    else run();
  }

  /** A release that forgets to compare deletes whatever is there. */
  beforeRelease(resources: readonly string[], value: string): void {
    if (this.terms.weakness !== 'release without compare') return;
    for (const resource of resources) this.memory.set(resource, value, 1_000);
  }

  pause(): void {
    if (this.isUp) this.#backlog ??= [];
  }

  /** Reads from its connections in any order, and from each what came first. */
  resume(): void {
    const waiting = this.#backlog ?? [];
    this.#backlog = undefined;
    while (waiting.length > 0) {
      const { pipe } = this.world.dice.pick(waiting);
      const [first] = waiting.splice(
        waiting.findIndex((one) => one.pipe === pipe),
        1,
      );
      this.world.in(0, () => this.receive(pipe, first!.run));
    }
  }

  saveSnapshot(): void {
    this.#snapshot = this.memory.snapshot();
  }

  crash(): void {
    this.isUp = false;
    this.run += 1;
    this.#backlog = undefined;
  }

  start(memory: Memory): void {
    if (this.isUp) return;
    if (memory === 'everything') this.memory.restart(this.memory.snapshot());
    else this.memory.restart(memory === 'nothing' ? undefined : this.#snapshot);
    this.isUp = true;
  }
}
