import type { Grant } from '../../../lib/core/port/claim.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import type { NodeAnswer } from '../../../lib/redis/batch/reply-decoder.js';
import type { Reply } from '../../../lib/redis/connection/wire/wire-command.js';
import { BatchRun } from './batch-run.js';
import { Channels } from './channels.js';
import { distrust, markerOf } from './trust-marker.js';
import { GivenBack } from '../judge/given-back.js';
import { GrantDesk } from './grant-desk.js';
import { plainAnswer } from './kept-notes.js';
import { Machine, type MachineTerms } from '../world/machine.js';
import { NodeClock } from '../world/node-clock.js';
import { batchIn, type SentBatch, type SentClaim, type SentOperation } from './sent-batch.js';
import { Violation } from '../judge/violation.js';
import type { Weakness } from '../faults/weakness.js';
import type { World } from '../world/world.js';

/** What a node remembers when it is started again. */
export type Memory = 'everything' | 'nothing' | 'an old snapshot';

/** Why it answers with errors: to each call that it is busy, or to each operation that it cannot write. */
export type Trouble = 'BUSY' | 'MISCONF';

export interface NodeTerms extends MachineTerms {
  readonly maxTtl: number;
  readonly weakness: Weakness | undefined;
  /** Whether it tells of grants before it answers what they came of, as Redis does before 7.2. */
  readonly tellsFirst: boolean;
}

interface Waiting {
  readonly pipe: object;
  readonly run: () => void;
}

interface Disk {
  readonly memory: ReturnType<MemoryNode['snapshot']>;
  readonly secret: string | undefined;
}

/** One master on a machine of its own, which can stand still, crash and forget. */
export class SimulatedNode {
  readonly name: string;
  readonly machine: Machine;
  readonly memory: MemoryNode;
  readonly channels = new Channels();
  /** Which start of the process this is; connections end with it. */
  run = 1;
  isUp = true;
  trouble: Trouble | undefined;
  readonly clock: NodeClock;
  readonly grants: GrantDesk;
  /** Whether a client has had two connections to it, between which there is no order. */
  hasTwoWays = false;
  knowsScript = false;
  /** What is delivered while it stands still. */
  #backlog: Waiting[] | undefined;
  #disk: Disk;
  readonly #givenBack = new GivenBack();

  constructor(
    private readonly world: World,
    private readonly terms: NodeTerms,
  ) {
    this.name = terms.name;
    this.machine = new Machine(world, terms);
    this.clock = new NodeClock(this.machine);
    this.grants = new GrantDesk(terms.name, this.channels);
    const { name, maxTtl, weakness } = terms;
    const restartQuarantine = weakness !== 'no quarantine';
    const listens = (claim: unknown): boolean => this.channels.isHeard((claim as SentClaim).channel);
    this.memory = new MemoryNode(name, this.clock, { maxTtl, restartQuarantine, listens });
    this.#disk = this.#everything();
  }

  get tellsFirst(): boolean {
    return this.terms.tellsFirst;
  }

  get answers(): boolean {
    return this.isUp && this.#backlog === undefined;
  }

  get wall(): number {
    return this.clock.now().wall;
  }

  /** What it tells of itself. */
  get info(): string {
    return `run_id:${this.name}/${this.run}\r\nredis_version:${this.tellsFirst ? '6.2.0' : '7.4.0'}\r\n`;
  }

  get marker(): string | null {
    return markerOf(this.memory, `${this.name}/${this.run}`);
  }

  /** Why it does nothing at all, as an error; undefined where it does. */
  get isBusy(): string | undefined {
    return this.trouble === 'BUSY' ? 'BUSY Redis is busy running a script' : undefined;
  }

  /** What arrives over `pipe`, in order; between two pipes there is none. */
  receive(pipe: object, run: () => void): void {
    if (!this.isUp) return;
    if (this.#backlog) this.#backlog.push({ pipe, run });
    else run();
  }

  /** What a command that came in does; `mayBeLate` where it may come after what was sent behind it. */
  execute(wire: string, reply: (reply: Reply) => void, mayBeLate = false): void {
    const batch = batchIn(wire);
    if (this.isBusy) return reply({ ok: false, reason: this.isBusy, sent: true });
    if (batch) return this.#call(batch, reply, mayBeLate);
    if (wire.includes('EVAL')) distrust(this.memory, wire, this.wall);
    reply({ ok: true, value: plainAnswer(wire, this.memory) });
  }

  grant(claim: SentClaim, grant: Grant): void {
    this.grants.grant(claim, grant, Math.floor(this.wall));
  }

  /** Writes into the trace what came of an operation. */
  note({ verb, claim }: SentOperation, answer: NodeAnswer): void {
    this.world.note(
      () => `${this.name} ${verb} ${claim.value} ${claim.resources.join('+')}: ${JSON.stringify(answer)}`,
    );
  }

  /** A release that forgets to compare. */
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
    this.#disk = this.#everything();
  }

  flush(): void {
    this.memory.flush();
    this.grants.remember(undefined);
  }

  crash(): void {
    this.isUp = false;
    this.run += 1;
    this.#backlog = undefined;
    this.knowsScript = false;
  }

  start(memory: Memory): void {
    if (this.isUp) return;
    const disk = memory === 'everything' ? this.#everything() : this.#disk;
    this.memory.restart(memory === 'nothing' ? undefined : disk.memory);
    this.grants.remember(memory === 'nothing' ? undefined : disk.secret);
    this.isUp = true;
  }

  #everything(): Disk {
    return { memory: this.memory.snapshot(), secret: this.grants.knownSecret };
  }

  #call(batch: SentBatch, reply: (reply: Reply) => void, mayBeLate: boolean): void {
    if (!batch.terms.hasScript && !this.knowsScript)
      return reply({ ok: false, reason: 'NOSCRIPT No matching script', sent: true });
    this.knowsScript = true;
    const run = new BatchRun(this, batch, reply);
    if (this.trouble === 'MISCONF') return run.refuse('MISCONF Errors writing to the AOF file');
    if (!mayBeLate && !this.hasTwoWays) this.#checkGivenBack(batch);
    run.start();
  }

  /** What is under way when a connection breaks may come late; nothing else may. */
  #checkGivenBack(batch: SentBatch): void {
    const value = this.#givenBack.lateIn(batch);
    if (value === undefined) return;
    const detail = `${this.name} is asked again for ${value}, which was given back`;
    this.world.fail(new Violation('given back stays away', detail));
  }
}
